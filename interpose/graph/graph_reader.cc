#include "interpose/graph/graph_reader.h"

#include <algorithm>
#include <map>

#include "interpose/graph/edges.h"
#include "interpose/ops/tensors.h"

namespace graphtap::graph {
namespace {

// The driver fills `Out` or refuses: read by `call`, made a record by `make`.
template <typename Out, typename Call, typename Make>
record::NodeParameters ReadBy(CUgraphNode node, CUgraphNodeType kind, Call call, Make make) {
  Out out{};
  const CUresult result = call == nullptr ? CUDA_ERROR_NOT_SUPPORTED : call(node, &out);
  return result == CUDA_SUCCESS ? make(out) : ParameterReader::Unread(kind, result);
}

record::NodeParameters ReadConditional(CUgraphNode node, const NodeHints& hints) {
  const auto found = hints.conditionals.find(node);
  if (found == hints.conditionals.end()) {
    // It was added before recording began.
    return ParameterReader::Unread(CU_GRAPH_NODE_TYPE_CONDITIONAL, CUDA_ERROR_NOT_FOUND);
  }
  auto parameters = ParameterReader::Plain(CU_GRAPH_NODE_TYPE_CONDITIONAL);
  parameters.conditional =
      record::ConditionalNode{static_cast<std::uint32_t>(found->second.type),
                              static_cast<std::uint32_t>(found->second.bodies.size())};
  return parameters;
}

// Values can be observed behind it.
bool Works(const record::Node& node) {
  const auto kind = static_cast<CUgraphNodeType>(node.parameters.kind);
  return kind == CU_GRAPH_NODE_TYPE_KERNEL || kind == CU_GRAPH_NODE_TYPE_MEMCPY ||
         kind == CU_GRAPH_NODE_TYPE_MEMSET;
}

// `tensor`: of one of the node's `ops`; `op`: of a gradient.
void AddTensor(const record::Tensor& tensor, record::Node* node,
               std::optional<std::uint32_t> op = std::nullopt) {
  auto operand = ops::OperandOf(tensor, node->ops, op);
  if (operand) node->parameters.operands.push_back(*std::move(operand));
}

}  // namespace

bool GraphReader::Read(CUgraph graph, GraphModel* model) {
  if (!ReadLevel(graph, Level{}, model)) return false;
  AddTensors(model);
  AddGradients(model);
  SetBlocks();
  std::vector<record::NodeParameters*> all;
  all.reserve(nodes_.size());
  bool complete = true;
  for (auto& node : nodes_) {
    all.push_back(&node.parameters);
    complete = complete && !node.parameters.unread_error;
  }
  if (!complete) session_.recorder().Count(Loss::graph_unread);
  parameters_.SetExtents(all, true);
  model->nodes = std::make_shared<const std::vector<record::Node>>(std::move(nodes_));
  return true;
}

bool GraphReader::ReadLevel(CUgraph graph, const Level& level, GraphModel* model) {
  const auto& calls = session_.calls();
  std::size_t count = 0;
  if (calls.graph_nodes(graph, nullptr, &count) != CUDA_SUCCESS) return false;
  std::vector<CUgraphNode> handles(count);
  if (count > 0 && calls.graph_nodes(graph, handles.data(), &count) != CUDA_SUCCESS) return false;
  handles.resize(count);
  const auto own = own_.In(graph);
  std::erase_if(handles, [&](CUgraphNode node) { return own->contains(node); });
  count = handles.size();
  std::vector<std::uint32_t> indices(count);
  nodes_.reserve(nodes_.size() + count);
  const auto hints = hints_(graph);
  const std::uint32_t first_op = ops::AppendOps(hints->ops.ops, &ops_);
  for (ops::Arrival arrival : hints->ops.arrivals) {
    arrival.op += first_op;
    arrivals_.push_back(arrival);
  }
  for (std::size_t i = 0; i < count; ++i) {
    CUgraphNodeType kind{};
    if (calls.node_type(handles[i], &kind) != CUDA_SUCCESS) return false;
    record::Node node;
    node.index = indices[i] = static_cast<std::uint32_t>(nodes_.size());
    node.parent = level.parent;
    node.body = level.body;
    node.position = static_cast<std::uint32_t>(i);
    const auto scope = hints->scopes.find(handles[i]);
    if (scope != hints->scopes.end()) node.scope = scope->second;
    SetOp(handles[i], *hints, first_op, &node);
    const auto blocks = hints->blocks.find(handles[i]);
    if (blocks != hints->blocks.end()) intervals_.emplace(node.index, blocks->second);
    node.parameters = ReadParameters(handles[i], kind, *hints);
    nodes_.push_back(std::move(node));
    model->handles.push_back(handles[i]);
    model->levels.push_back(graph);
    ReadInside(handles[i], indices[i], *hints, model);
  }
  return ReadEdges(graph, handles, indices, model);
}

void GraphReader::SetOp(CUgraphNode handle, const NodeHints& hints, std::uint32_t first_op,
                        record::Node* node) {
  const auto stack = hints.ops.stacks.find(handle);
  if (stack != hints.ops.stacks.end()) node->stack = stack->second;
  const auto found = hints.ops.nodes.find(handle);
  if (found == hints.ops.nodes.end()) return;
  node->op = first_op + found->second.op;
  node->inner_op = found->second.inner_op;
}

// What an op gave or wrote is there behind the last node that it added.
void GraphReader::AddTensors(GraphModel* model) {
  model->ops = std::make_shared<const std::vector<record::Op>>(std::move(ops_));
  std::vector<std::optional<std::uint32_t>> last(model->ops->size());
  for (record::Node& node : nodes_) {
    node.ops = model->ops;
    if (node.op && Works(node)) last[*node.op] = node.index;
  }
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (!last[i]) continue;
    for (const record::Tensor& tensor : (*model->ops)[i].tensors) {
      if (tensor.role != record::Role::kGradient) AddTensor(tensor, &nodes_[*last[i]]);
    }
  }
}

// A gradient is there when its backward node begins.
void GraphReader::AddGradients(GraphModel* model) {
  if (arrivals_.empty()) return;
  const ops::NodePositions index(model->handles);
  const auto find = [&](CUgraphNode handle) -> record::Node* {
    const auto found = index.Find(handle);
    return found && Works(nodes_[*found]) ? &nodes_[*found] : nullptr;
  };
  for (const ops::Arrival& arrival : arrivals_) {
    record::Node* node = find(arrival.before);
    if (node == nullptr) node = find(arrival.first);
    if (node == nullptr) continue;
    for (const record::Tensor& tensor : (*model->ops)[arrival.op].tensors) {
      if (tensor.role == record::Role::kGradient) AddTensor(tensor, node, arrival.op);
    }
  }
}

// A pointer's site ends with the block that held it when the node was added.
void GraphReader::SetBlocks() {
  // Of two that begin together the one that ends first has not seen what was given out later.
  using ByMoment = std::multimap<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t>;
  std::map<std::shared_ptr<const blocks::History>, ByMoment> nodes;
  for (const auto& [index, interval] : intervals_) {
    nodes[interval.history].emplace(std::pair(interval.begin, interval.end), index);
  }
  for (const auto& [history, by_moment] : nodes) {
    blocks::LiveBlocks live(*history);
    for (const auto& [moments, index] : by_moment) {
      live.MoveTo(moments.first, moments.second);
      for (record::Operand& operand : nodes_[index].parameters.operands) {
        operand.block = live.Find(operand.address);
        if (operand.block == nullptr || operand.extent != 0) continue;
        operand.extent = operand.block->address + operand.block->bytes - operand.address;
        operand.exact = true;
      }
    }
  }
}

bool GraphReader::ReadEdges(CUgraph graph, const std::vector<CUgraphNode>& handles,
                            const std::vector<std::uint32_t>& indices, GraphModel* model) {
  std::vector<Edge> edges;
  if (ListEdges(session_.calls(), graph, &edges) != CUDA_SUCCESS) return false;
  const ops::NodePositions positions(handles);
  std::uint32_t seen = 0;
  for (const Edge& edge : edges) {
    const auto from = positions.Find(edge.from), to = positions.Find(edge.to);
    if (!from || !to) continue;  // graphtap's
    nodes_[indices[*to]].dependencies.push_back(
        {*from, edge.data.from_port, edge.data.to_port, edge.data.type});
    ++seen;
  }
  for (std::size_t i = 0; i < handles.size(); ++i) {
    OrderDependencies(handles[i], positions, &nodes_[indices[i]]);
  }
  model->edge_count += seen;
  return true;
}

// As the driver orders the dependencies of one node, by which its updates pair nodes. If it does
// not tell, they stay as it lists all edges.
void GraphReader::OrderDependencies(CUgraphNode handle, const ops::NodePositions& positions,
                                    record::Node* node) {
  const auto& calls = session_.calls();
  if (node->dependencies.size() < 2) return;
  const auto list = [&](CUgraphNode* from, CUgraphEdgeData* data, std::size_t* count) {
    if (calls.node_dependencies_data != nullptr) {
      return calls.node_dependencies_data(handle, from, data, count);
    }
    return calls.node_dependencies == nullptr ? CUDA_ERROR_NOT_SUPPORTED
                                              : calls.node_dependencies(handle, from, count);
  };
  std::size_t count = 0;
  if (list(nullptr, nullptr, &count) != CUDA_SUCCESS) return;
  std::vector<CUgraphNode> from(count);
  std::vector<CUgraphEdgeData> data(count);
  if (list(from.data(), data.data(), &count) != CUDA_SUCCESS) return;
  std::unordered_map<std::uint32_t, std::size_t> rank;
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto known = positions.Find(from[i])) rank[*known] = i;
  }
  if (rank.size() != node->dependencies.size()) return;
  std::sort(node->dependencies.begin(), node->dependencies.end(),
            [&](const auto& a, const auto& b) { return rank[a.from] < rank[b.from]; });
}

void GraphReader::ReadInside(CUgraphNode node, std::uint32_t index, const NodeHints& hints,
                             GraphModel* model) {
  const auto kind = static_cast<CUgraphNodeType>(nodes_[index].parameters.kind);
  bool complete = true;
  if (kind == CU_GRAPH_NODE_TYPE_GRAPH) {
    CUgraph child = nullptr;
    complete = session_.calls().child_graph(node, &child) == CUDA_SUCCESS &&
               ReadLevel(child, Level{index, std::nullopt}, model);
  } else if (kind == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    const auto found = hints.conditionals.find(node);
    if (found == hints.conditionals.end()) return;
    const auto& bodies = found->second.bodies;
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      complete = ReadLevel(bodies[i], Level{index, i}, model) && complete;
    }
  }
  if (!complete) session_.recorder().Count(Loss::graph_unread);
}

record::NodeParameters GraphReader::ReadParameters(CUgraphNode node, CUgraphNodeType kind,
                                                   const NodeHints& hints) {
  const auto& calls = session_.calls();
  auto& make = parameters_;
  switch (kind) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return ReadKernel(node);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return ReadBy<CUDA_MEMCPY3D>(node, kind, calls.memcpy_params,
                                   [&](const auto& out) { return make.Memcpy(out); });
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return ReadBy<CUDA_MEMSET_NODE_PARAMS>(node, kind, calls.memset_params,
                                             [&](const auto& out) { return make.Memset(out); });
    case CU_GRAPH_NODE_TYPE_HOST:
      return ReadBy<CUDA_HOST_NODE_PARAMS>(node, kind, calls.host_params, [&](const auto& out) {
        return make.Host(reinterpret_cast<const void*>(out.fn));
      });
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return ReadBy<CUevent>(node, kind, calls.record_event,
                             [&](CUevent out) { return make.Event(kind, out); });
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return ReadBy<CUevent>(node, kind, calls.wait_event,
                             [&](CUevent out) { return make.Event(kind, out); });
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return ReadBy<CUDA_MEM_ALLOC_NODE_PARAMS>(
          node, kind, calls.alloc_params, [&](const auto& out) { return make.Allocation(out); });
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return ReadBy<CUdeviceptr>(node, kind, calls.free_params,
                                 [&](CUdeviceptr out) { return make.Free(out); });
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return ReadConditional(node, hints);
    default:
      return ParameterReader::Plain(kind);
  }
}

record::NodeParameters GraphReader::ReadKernel(CUgraphNode node) {
  const auto& calls = session_.calls();
  constexpr auto kKind = CU_GRAPH_NODE_TYPE_KERNEL;
  auto parameters = calls.kernel_params != nullptr
                        ? ReadBy<CUDA_KERNEL_NODE_PARAMS_v2>(
                              node, kKind, calls.kernel_params,
                              [&](const auto& out) { return parameters_.Kernel(out); })
                        : ReadBy<CUDA_KERNEL_NODE_PARAMS_v1>(
                              node, kKind, calls.kernel_params_v1,
                              [&](const auto& out) { return parameters_.Kernel(out); });
  if (parameters.kernel) parameters_.AddAttributes(node, &*parameters.kernel);
  return parameters;
}

}  // namespace graphtap::graph
