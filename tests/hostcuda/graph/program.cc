#include "tests/hostcuda/graph/program.h"

#include <functional>
#include <queue>
#include <utility>

namespace hostcuda {
namespace {

// Fills `order`; false if a cycle keeps some nodes out of it.
bool Order(ProgramShape& shape) {
  std::vector<std::size_t> waiting(shape.nodes.size());
  std::vector<std::vector<std::uint32_t>> dependents(shape.nodes.size());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < shape.nodes.size(); ++i) {
    waiting[i] = shape.nodes[i].dependencies.size();
    for (const ShapeLink& link : shape.nodes[i].dependencies) dependents[link.node].push_back(i);
    if (waiting[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    std::uint32_t next = ready.top();
    ready.pop();
    shape.order.push_back(next);
    for (std::uint32_t dependent : dependents[next]) {
      if (--waiting[dependent] == 0) ready.push(dependent);
    }
  }
  return shape.order.size() == shape.nodes.size();
}

// A node that is in no position of `order`.
const Node* FindUnordered(const Graph& graph, const ProgramShape& shape) {
  std::vector<bool> ordered(shape.nodes.size());
  for (std::uint32_t i : shape.order) ordered[i] = true;
  std::size_t i = 0;
  while (ordered[i]) ++i;
  return graph.nodes()[i].get();
}

}  // namespace

std::shared_ptr<const ProgramShape> MakeShape(const Graph& graph, const Node** error) {
  auto shape = std::make_shared<ProgramShape>();
  for (auto& node : graph.nodes()) {
    shape->index[node->id] = static_cast<std::uint32_t>(shape->nodes.size());
    ShapeNode& made = shape->nodes.emplace_back(ShapeNode{node->id, node->type, {}, {}});
    for (auto& graph_in_node : node->embedded) {
      made.embedded.push_back(MakeShape(*graph_in_node, error));
      if (!made.embedded.back()) return nullptr;
    }
  }
  for (auto& node : graph.nodes()) {
    ShapeNode& made = shape->nodes[shape->index[node->id]];
    for (const Link& link : node->dependencies) {
      made.dependencies.push_back({shape->index[link.node->id], link.data});
    }
  }
  for (const Node* sink : graph.Sinks()) shape->sinks.push_back(shape->index[sink->id]);
  if (!Order(*shape)) {
    *error = FindUnordered(graph, *shape);
    return nullptr;
  }
  return shape;
}

std::shared_ptr<ProgramState> MakeState(const Graph& graph) {
  auto state = std::make_shared<ProgramState>();
  for (auto& node : graph.nodes()) {
    ProgramStep& step = state->steps.emplace_back(ProgramStep{node->work, true, {}});
    for (auto& embedded : node->embedded) step.embedded.push_back(MakeState(*embedded));
  }
  state->conditionals = graph.conditionals;
  return state;
}

std::optional<ProgramPath> FindNode(const ProgramShape& shape, std::uint64_t node_id) {
  if (auto found = shape.index.find(node_id); found != shape.index.end()) {
    return ProgramPath{{found->second}};
  }
  for (std::uint32_t i = 0; i < shape.nodes.size(); ++i) {
    for (std::uint32_t graph = 0; graph < shape.nodes[i].embedded.size(); ++graph) {
      auto inner = FindNode(*shape.nodes[i].embedded[graph], node_id);
      if (!inner) continue;
      inner->insert(inner->begin(), PathPart{i, graph});
      return inner;
    }
  }
  return std::nullopt;
}

const ProgramStep& StepAt(const ProgramState& state, const ProgramPath& path) {
  const ProgramState* at = &state;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    at = at->steps[path[i].node].embedded[path[i].graph].get();
  }
  return at->steps[path.back().node];
}

void ReplaceStep(ProgramState& state, std::span<const PathPart> path, ProgramStep step) {
  ProgramStep& here = state.steps[path.front().node];
  if (path.size() == 1) {
    here = std::move(step);
    return;
  }
  auto& embedded = here.embedded[path.front().graph];
  auto changed = std::make_shared<ProgramState>(*embedded);
  ReplaceStep(*changed, path.subspan(1), std::move(step));
  embedded = std::move(changed);
}

const ShapeNode& ShapeAt(const ProgramShape& shape, const ProgramPath& path) {
  const ProgramShape* at = &shape;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    at = at->nodes[path[i].node].embedded[path[i].graph].get();
  }
  return at->nodes[path.back().node];
}

}  // namespace hostcuda
