#include "tests/hostcuda/graph/restrictions.h"

#include <algorithm>

#include "tests/hostcuda/driver/graph_memory.h"

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

CUresult RefuseIf(bool restricted) { return restricted ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS; }

}  // namespace

CUresult CheckNewNode(const Graph& graph, const Work* work) {
  if (work == nullptr || !IsMemoryWork(*work)) return CUDA_SUCCESS;
  if (graph.embedded) return CUDA_ERROR_NOT_SUPPORTED;
  const auto* free = std::get_if<FreeWork>(work);
  return free == nullptr ? CUDA_SUCCESS : CheckFree(graph, *free->allocation);
}

CUresult CheckClone(const Graph& graph) { return RefuseIf(graph.HasMemoryNodes()); }

CUresult CheckRemoval(const Graph& graph) { return RefuseIf(graph.HasMemoryNodes()); }

CUresult CheckCopiedChild(const Graph& child) { return RefuseIf(child.HasMemoryNodes()); }

CUresult CheckMovedChild(const Graph& child, const Graph& parent) {
  if (child.embedded || child.capturing || &child == &parent) return CUDA_ERROR_INVALID_VALUE;
  return RefuseIf(child.HasMemoryNodes() && parent.embedded);
}

CUresult CheckInstantiation(const Graph& graph) {
  return RefuseIf(graph.embedded || (graph.HasMemoryNodes() && !graph.instantiated.expired()));
}

}  // namespace hostcuda
