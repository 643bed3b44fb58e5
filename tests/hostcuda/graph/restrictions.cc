#include "tests/hostcuda/graph/restrictions.h"

#include <algorithm>

#include "tests/hostcuda/driver/graph_memory.h"
#include "tests/hostcuda/graph/conditional.h"
#include "tests/hostcuda/graph/node_work.h"

namespace hostcuda {
namespace {

bool Frees(const Graph& graph, const GraphAllocation& allocation) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const auto& node) {
    const auto* free = node->work ? std::get_if<FreeWork>(node->work.get()) : nullptr;
    return free != nullptr && free->allocation.get() == &allocation;
  });
}

CUresult CheckFree(const Graph& graph, const GraphAllocation& allocation) {
  bool owner = allocation.owner == graph.id();
  bool elsewhere = owner ? allocation.freed_by_others : allocation.freed_by_owner;
  return elsewhere || Frees(graph, allocation) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

bool AnyEmbedded(const Graph& graph, bool (*holds)(const Graph&)) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const auto& node) {
    return std::any_of(node->embedded.begin(), node->embedded.end(),
                       [&](const auto& embedded) { return holds(*embedded); });
  });
}

bool MayBeInBody(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_EMPTY ||
         type == CU_GRAPH_NODE_TYPE_GRAPH || type == CU_GRAPH_NODE_TYPE_MEMSET ||
         type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

bool HoldsMore(const Graph& graph) {
  return AnyEmbedded(graph, &HoldsMore) ||
         std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const auto& node) { return !MayBeInBody(node->type); });
}

bool MayBeBody(const Graph& graph) { return !HoldsMore(graph); }

bool IsInBody(const Graph& graph) {
  return graph.is_body || (graph.parent != nullptr && IsInBody(*graph.parent));
}

CUresult RefuseIf(bool restricted) { return restricted ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS; }

}  // namespace

CUresult CheckNewNode(const Graph& graph, const Work* work) {
  if (work == nullptr) return CUDA_SUCCESS;
  if (IsInBody(graph) && !MayBeInBody(NodeTypeOf(*work))) return CUDA_ERROR_INVALID_VALUE;
  if (std::holds_alternative<ConditionalWork>(*work)) {
    return RefuseIf(graph.parent != nullptr && !graph.is_body);
  }
  if (!IsMemoryWork(*work)) return CUDA_SUCCESS;
  if (graph.parent != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const auto* free = std::get_if<FreeWork>(work);
  return free == nullptr ? CUDA_SUCCESS : CheckFree(graph, *free->allocation);
}

bool HasUnusedConditional(const Graph& graph) {
  bool unused = std::any_of(graph.conditionals.begin(), graph.conditionals.end(),
                            [](const auto& conditional) { return !conditional->has_node; });
  return unused || AnyEmbedded(graph, &HasUnusedConditional);
}

CUresult CheckClone(const Graph& graph) {
  return RefuseIf(graph.HasMemoryNodes() || graph.HasConditionalNodes());
}

CUresult CheckRemoval(const Graph& graph) { return RefuseIf(graph.HasMemoryNodes()); }

CUresult CheckCopiedChild(const Graph& child, const Graph& parent) {
  if (child.HasMemoryNodes() || child.HasConditionalNodes()) return CUDA_ERROR_NOT_SUPPORTED;
  return RefuseIf(IsInBody(parent) && !MayBeBody(child));
}

CUresult CheckMovedChild(const Graph& child, const Graph& parent) {
  if (child.parent != nullptr || child.capturing || &child == &parent)
    return CUDA_ERROR_INVALID_VALUE;
  bool nested = child.HasMemoryNodes() && parent.parent != nullptr;
  bool in_body = IsInBody(parent) && !MayBeBody(child);
  return RefuseIf(child.HasConditionalNodes() || nested || in_body);
}

CUresult CheckInstantiation(const Graph& graph) {
  bool single = graph.HasMemoryNodes() || graph.HasConditionalNodes();
  return RefuseIf(graph.parent != nullptr || (single && !graph.instantiated.expired()));
}

}  // namespace hostcuda
