#include "tests/hostcuda/graph/pairing.h"

#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hostcuda {
namespace {

class Pairing {
 public:
  Pairing(const ProgramShape& shape, const Graph& graph)
      : shape_(shape), graph_(graph), node_of_(shape.nodes.size()) {}

  UpdateOutcome Run();
  const Node& NodeOf(std::uint32_t index) const { return *node_of_[index]; }

 private:
  // False if one of the two is paired with another node already.
  bool Pair(std::uint32_t index, const Node& node);
  UpdateOutcome PairDependencies(std::uint32_t index, const Node& node);

  const ProgramShape& shape_;
  const Graph& graph_;
  std::vector<const Node*> node_of_;
  std::unordered_map<const Node*, std::uint32_t> index_of_;
  std::queue<std::pair<std::uint32_t, const Node*>> open_;
};

UpdateOutcome TopologyChanged(const Node* to, const Node* from = nullptr) {
  return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, to, from};
}

bool Pairing::Pair(std::uint32_t index, const Node& node) {
  auto [paired, fresh] = index_of_.emplace(&node, index);
  if (!fresh) return paired->second == index;
  if (node_of_[index] != nullptr) return false;
  node_of_[index] = &node;
  open_.emplace(index, &node);
  return true;
}

UpdateOutcome Pairing::PairDependencies(std::uint32_t index, const Node& node) {
  const std::vector<ShapeLink>& mine = shape_.nodes[index].dependencies;
  if (mine.size() != node.dependencies.size()) return TopologyChanged(&node);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Link& link = node.dependencies[i];
    if (!SameEdgeData(mine[i].data, link.data) || !Pair(mine[i].node, *link.node)) {
      return TopologyChanged(&node, link.node);
    }
  }
  return {};
}

UpdateOutcome Pairing::Run() {
  if (shape_.nodes.size() != graph_.nodes().size()) return TopologyChanged(nullptr);
  std::vector<const Node*> sinks = graph_.Sinks();
  std::size_t mine = shape_.sinks.size();
  if (sinks.size() < mine) return TopologyChanged(nullptr);
  if (sinks.size() > mine) return TopologyChanged(sinks[sinks.size() - mine - 1]);
  for (std::size_t i = mine; i-- > 0;) Pair(shape_.sinks[i], *sinks[i]);
  while (!open_.empty()) {
    auto [index, node] = open_.front();
    open_.pop();
    if (shape_.nodes[index].type != node->type) {
      return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, node, nullptr};
    }
    UpdateOutcome outcome = PairDependencies(index, *node);
    if (outcome.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return outcome;
  }
  for (const Node* node : node_of_) {
    if (node == nullptr) return TopologyChanged(nullptr);  // a cycle: no sink leads to it
  }
  return {};
}

bool SameMemory(const CUDA_MEMCPY3D& left, const CUDA_MEMCPY3D& right) {
  return left.srcMemoryType == right.srcMemoryType && left.dstMemoryType == right.dstMemoryType;
}

// A fill of rows keeps its form; one of a single row may change its length and element too.
bool SameForm(const CUDA_MEMSET_NODE_PARAMS& left, const CUDA_MEMSET_NODE_PARAMS& right) {
  if (left.height <= 1 && right.height <= 1) return true;
  return left.height == right.height && left.width == right.width && left.pitch == right.pitch &&
         left.elementSize == right.elementSize;
}

struct ChangeChecker {
  CUgraphExecUpdateResult operator()(const KernelWork& current, const KernelWork& next) const {
    return current.context == next.context ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                           : CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
  }
  CUgraphExecUpdateResult operator()(const CopyWork& current, const CopyWork& next) const {
    return current.context == next.context && SameMemory(current.copy, next.copy)
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  CUgraphExecUpdateResult operator()(const FillWork& current, const FillWork& next) const {
    return current.context == next.context && SameForm(current.fill, next.fill)
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  CUgraphExecUpdateResult operator()(const MemoryOperationsWork& current,
                                     const MemoryOperationsWork& next) const {
    return current.context == next.context && SameOperations(current.operations, next.operations)
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  CUgraphExecUpdateResult operator()(const AllocateWork&, const AllocateWork&) const {
    return CU_GRAPH_EXEC_UPDATE_ERROR;
  }
  CUgraphExecUpdateResult operator()(const FreeWork&, const FreeWork&) const {
    return CU_GRAPH_EXEC_UPDATE_ERROR;
  }
  CUgraphExecUpdateResult operator()(const ConditionalWork& current,
                                     const ConditionalWork& next) const {
    return current.type == next.type ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                     : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  template <typename Same>
  CUgraphExecUpdateResult operator()(const Same&, const Same&) const {
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
  }
  template <typename Left, typename Right>
  CUgraphExecUpdateResult operator()(const Left&, const Right&) const {
    return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  }
};

UpdateOutcome UpdateEmbedded(const ShapeNode& shape, const Node& node, ProgramStep& step) {
  if (node.embedded.size() != step.embedded.size()) {
    return {CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, &node, nullptr};
  }
  for (std::size_t i = 0; i < step.embedded.size(); ++i) {
    std::shared_ptr<ProgramState> updated;
    UpdateOutcome outcome =
        MakeUpdatedState(*shape.embedded[i], *step.embedded[i], *node.embedded[i], &updated);
    if (outcome.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return outcome;
    step.embedded[i] = std::move(updated);
  }
  return {};
}

}  // namespace

CUgraphExecUpdateResult CheckChange(const Work& current, const Work& next) {
  return std::visit(ChangeChecker{}, current, next);
}

UpdateOutcome MakeUpdatedState(const ProgramShape& shape, const ProgramState& current,
                               const Graph& graph, std::shared_ptr<ProgramState>* updated) {
  Pairing pairing(shape, graph);
  UpdateOutcome outcome = pairing.Run();
  if (outcome.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return outcome;
  auto state = std::make_shared<ProgramState>(current);
  for (std::uint32_t i = 0; i < shape.nodes.size(); ++i) {
    const Node& node = pairing.NodeOf(i);
    ProgramStep& step = state->steps[i];
    outcome = UpdateEmbedded(shape.nodes[i], node, step);
    if (outcome.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return outcome;
    if (!node.work) continue;
    CUgraphExecUpdateResult result = CheckChange(*step.work, *node.work);
    if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return {result, &node, nullptr};
    step.work = node.work;
  }
  state->conditionals = graph.conditionals;
  *updated = std::move(state);
  return {};
}

}  // namespace hostcuda
