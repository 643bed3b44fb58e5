// Parameters of an executable's nodes, and whether they run. Nodes are named by the handles of the
// graph that was instantiated.
#include <memory>
#include <optional>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/executable.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/node_work.h"

namespace hostcuda {
namespace {

struct Place {
  Executable* executable;
  ProgramPath path;
};

// Nothing if either handle is stale or the executable was not made from the node's graph.
std::optional<Place> FindPlace(CUgraphExec executable_handle, CUgraphNode node_handle) {
  Executable* executable = Find(executable_handle);
  const Node* node = Find(node_handle);
  if (executable == nullptr || node == nullptr) return std::nullopt;
  std::optional<ProgramPath> path = executable->Find(*node);
  if (!path) return std::nullopt;
  return Place{executable, *path};
}

CUresult SetWork(CUgraphExec executable, CUgraphNode node, CUresult made, const SharedWork& work) {
  if (made != CUDA_SUCCESS) return made;
  GraphLock lock;
  std::optional<Place> place = FindPlace(executable, node);
  return place ? place->executable->SetWork(place->path, work) : CUDA_ERROR_INVALID_VALUE;
}

CUresult SetChild(CUgraphExec executable, CUgraphNode node, CUgraph child) {
  GraphLock lock;
  std::optional<Place> place = FindPlace(executable, node);
  const Graph* graph = Find(child);
  if (!place || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return place->executable->SetChild(place->path, *graph);
}

bool CanBeDisabled(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET;
}

}  // namespace
}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, &work);
  return SetWork(executable, node, made, work);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS_v2 wide = Widen(*params);
  return calls::cuGraphExecKernelNodeSetParams_v2(executable, node, &wide);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMCPY3D* params, CUcontext context) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, context, &work);
  return SetWork(executable, node, made, work);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS_v1* params,
                                        CUcontext context) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, context, &work);
  return SetWork(executable, node, made, work);
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, &work);
  return SetWork(executable, node, made, work);
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                            CUgraph child) {
  return SetChild(executable, node, child);
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node,
                                            CUevent event) {
  SharedWork work;
  CUresult made = MakeRecordWork(event, &work);
  return SetWork(executable, node, made, work);
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event) {
  SharedWork work;
  CUresult made = MakeWaitWork(event, &work);
  return SetWork(executable, node, made, work);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                  CUgraphNodeParams* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
    return SetChild(executable, node, params->graph.graph);
  }
  if (!HasSettableParams(params->type)) return CUDA_ERROR_NOT_SUPPORTED;
  SharedWork work;
  CUresult made = MakeWork(*params, &work);
  return SetWork(executable, node, made, work);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned enabled) {
  GraphLock lock;
  std::optional<Place> place = FindPlace(executable, node);
  if (!place || !CanBeDisabled(place->executable->TypeAt(place->path))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  place->executable->SetEnabled(place->path, enabled != 0);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned* enabled) {
  GraphLock lock;
  std::optional<Place> place = FindPlace(executable, node);
  if (enabled == nullptr || !place || !CanBeDisabled(place->executable->TypeAt(place->path))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *enabled = place->executable->StepAt(place->path).enabled ? 1 : 0;
  return CUDA_SUCCESS;
}

}  // namespace hostcuda::calls
