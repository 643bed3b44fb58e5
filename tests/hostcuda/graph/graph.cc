#include "tests/hostcuda/graph/graph.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "tests/hostcuda/driver/graph_memory.h"
#include "tests/hostcuda/graph/conditional.h"
#include "tests/hostcuda/graph/handles.h"

namespace hostcuda {
namespace {

std::uint64_t NextId() {
  static std::uint64_t last = 0;
  return ++last;
}

std::vector<Link>::iterator Find(std::vector<Link>& links, const Node& node) {
  return std::find_if(links.begin(), links.end(), [&](const Link& l) { return l.node == &node; });
}

// The last entry takes the place of the removed one, as in the real driver's lists.
template <typename Entry>
void RemoveBySwap(std::vector<Entry>& entries, typename std::vector<Entry>::iterator entry) {
  if (std::next(entry) != entries.end()) *entry = std::move(entries.back());
  entries.pop_back();
}

}  // namespace

bool SameEdgeData(const CUgraphEdgeData& left, const CUgraphEdgeData& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

bool IsDefault(const CUgraphEdgeData& data) { return SameEdgeData(data, CUgraphEdgeData{}); }

bool IsAllowed(const CUgraphEdgeData& data, const Node& from, const Node& to) {
  bool reserved = std::any_of(std::begin(data.reserved), std::end(data.reserved),
                              [](unsigned char byte) { return byte != 0; });
  if (reserved || data.to_port != 0) return false;
  if (data.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT && data.from_port == 0) return true;
  return data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
         (data.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC ||
          data.from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER) &&
         from.type == CU_GRAPH_NODE_TYPE_KERNEL && to.type == CU_GRAPH_NODE_TYPE_KERNEL;
}

void Node::SetWork(std::shared_ptr<const Work> next) {
  work = std::move(next);
  view.reset();
}

Node::~Node() { ForgetHandle(this); }

Graph::Graph() : id_(NextId()) { AddHandle(this); }

Graph::~Graph() { ForgetHandle(this); }

Node& Graph::AddNode(CUgraphNodeType type, std::shared_ptr<const Work> work,
                     EmbeddedGraphs embedded) {
  Node& node = *nodes_.emplace_back(std::make_unique<Node>());
  node.id = NextId();
  node.graph = this;
  node.type = type;
  node.work = std::move(work);
  node.embedded = std::move(embedded);
  for (auto& graph : node.embedded) graph->parent = this;
  if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL) ++conditional_nodes_;
  BecomeSink(node);
  AddHandle(&node);
  return node;
}

void Graph::NoteMemory(const Node& node) {
  for (auto& graph : node.embedded) has_memory_nodes_ |= graph->has_memory_nodes_;
  if (!node.work || !IsMemoryWork(*node.work)) return;
  has_memory_nodes_ = true;
  if (const auto* allocate = std::get_if<AllocateWork>(node.work.get())) {
    allocate->allocation->owner = id_;
    return;
  }
  GraphAllocation& allocation = *std::get<FreeWork>(*node.work).allocation;
  (allocation.owner == id_ ? allocation.freed_by_owner : allocation.freed_by_others) = true;
}

CUresult Graph::Connect(Node& from, Node& to, const CUgraphEdgeData& data) {
  if (from.graph != this || to.graph != this || &from == &to) return CUDA_ERROR_INVALID_VALUE;
  if (!IsAllowed(data, from, to)) return CUDA_ERROR_INVALID_VALUE;
  if (Find(to.dependencies, from) != to.dependencies.end()) return CUDA_ERROR_INVALID_VALUE;
  to.dependencies.push_back({&from, data});
  from.dependents.push_back({&to, data});
  return CUDA_SUCCESS;
}

CUresult Graph::Disconnect(Node& from, Node& to, const CUgraphEdgeData& data) {
  if (from.graph != this || to.graph != this) return CUDA_ERROR_INVALID_VALUE;
  auto link = Find(to.dependencies, from);
  if (link == to.dependencies.end()) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDefault(data) && !SameEdgeData(link->data, data)) return CUDA_ERROR_INVALID_VALUE;
  RemoveBySwap(to.dependencies, link);
  RemoveBySwap(from.dependents, Find(from.dependents, to));
  if (from.dependents.empty()) BecomeSink(from);
  return CUDA_SUCCESS;
}

void Graph::Remove(Node& node) {
  for (const Link& link : node.dependencies) {
    std::vector<Link>& dependents = link.node->dependents;
    RemoveBySwap(dependents, Find(dependents, node));
    if (dependents.empty()) BecomeSink(*link.node);
  }
  for (const Link& link : node.dependents) {
    RemoveBySwap(link.node->dependencies, Find(link.node->dependencies, node));
  }
  if (node.type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    --conditional_nodes_;
    std::get<ConditionalWork>(*node.work).conditional->has_node = false;
  }
  if (auto original = originals_.find(&node); original != originals_.end()) {
    clones_.erase(original->second);
    originals_.erase(original);
  }
  std::erase_if(nodes_, [&](const std::unique_ptr<Node>& owned) { return owned.get() == &node; });
}

std::unique_ptr<Graph> Graph::Clone() const {
  auto clone = std::make_unique<Graph>();
  clone->user_objects_ = std::make_unique<UserObjectSet>(*user_objects_);
  std::unordered_map<const Node*, Node*> made;
  for (auto& node : nodes_) {
    EmbeddedGraphs embedded;
    for (auto& graph : node->embedded) embedded.push_back(graph->Clone());
    Node& copy = clone->AddNode(node->type, node->work, std::move(embedded));
    copy.sink_order = node->sink_order;
    clone->clones_[node->id] = &copy;
    clone->originals_[&copy] = node->id;
    made[node.get()] = &copy;
  }
  clone->sink_count_ = sink_count_;
  for (auto& node : nodes_) {
    Node& copy = *made[node.get()];
    for (const Link& link : node->dependencies) {
      copy.dependencies.push_back({made[link.node], link.data});
    }
    for (const Link& link : node->dependents) {
      copy.dependents.push_back({made[link.node], link.data});
    }
  }
  return clone;
}

Node* Graph::FindClone(const Node& original) const {
  auto found = clones_.find(original.id);
  return found == clones_.end() ? nullptr : found->second;
}

std::vector<const Node*> Graph::Sinks() const {
  std::vector<const Node*> sinks;
  for (auto& node : nodes_) {
    if (node->dependents.empty()) sinks.push_back(node.get());
  }
  std::sort(sinks.begin(), sinks.end(), [](const Node* left, const Node* right) {
    return left->sink_order < right->sink_order;
  });
  return sinks;
}

}  // namespace hostcuda
