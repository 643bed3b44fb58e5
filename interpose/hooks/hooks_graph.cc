// Graphs and executables: made, launched, destroyed.
#include "interpose/hooks/hook.h"

using namespace graphtap::hooks;

namespace {

void Added(CUresult result, CUgraph graph, const CUgraphNode* node,
           const CUgraphNodeParams* parameters) {
  auto* observer = Observer::Active();
  if (observer == nullptr || result != CUDA_SUCCESS) return;
  observer->OnAddNode(graph, node, parameters);
}

void Instantiated(const char* call, CUresult result, const CUgraphExec* executable, CUgraph graph) {
  if (auto* observer = Observer::Active()) {
    observer->OnInstantiate(call, executable, graph, result);
  }
}

}  // namespace

GRAPHTAP_HOOK cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                             size_t count, CUgraphNodeParams* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphAddNode>(node, graph, dependencies, count, parameters);
  Added(result, graph, node, parameters);
  return result;
}

GRAPHTAP_HOOK cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                const CUgraphEdgeData* data, size_t count,
                                CUgraphNodeParams* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphAddNode_v2>(node, graph, dependencies, data, count, parameters);
  Added(result, graph, node, parameters);
  return result;
}

GRAPHTAP_HOOK cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                      unsigned flags) {
  const CUresult result = CallReal<Hook::cuGraphRetainUserObject>(graph, object, count, flags);
  if (auto* observer = Observer::Active(); observer != nullptr) observer->OnUserObject();
  return result;
}

GRAPHTAP_HOOK cuGraphDestroy(CUgraph graph) {
  auto* observer = Observer::Active();
  auto* leaving = observer == nullptr ? nullptr : observer->BeforeGraphDestroy(graph);
  const CUresult result = CallReal<Hook::cuGraphDestroy>(graph);
  if (observer != nullptr) observer->OnGraphDestroy(leaving, result);
  return result;
}

GRAPHTAP_HOOK cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, CUgraphNode* error_node,
                                 char* log, size_t log_bytes) {
  const CUresult result =
      CallReal<Hook::cuGraphInstantiate>(executable, graph, error_node, log, log_bytes);
  Instantiated("cuGraphInstantiate", result, executable, graph);
  return result;
}

GRAPHTAP_HOOK cuGraphInstantiate_v2(CUgraphExec* executable, CUgraph graph, CUgraphNode* error_node,
                                    char* log, size_t log_bytes) {
  const CUresult result =
      CallReal<Hook::cuGraphInstantiate_v2>(executable, graph, error_node, log, log_bytes);
  Instantiated("cuGraphInstantiate_v2", result, executable, graph);
  return result;
}

GRAPHTAP_HOOK cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                          unsigned long long flags) {
  const CUresult result = CallReal<Hook::cuGraphInstantiateWithFlags>(executable, graph, flags);
  Instantiated("cuGraphInstantiateWithFlags", result, executable, graph);
  return result;
}

GRAPHTAP_HOOK cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphInstantiateWithParams>(executable, graph, parameters);
  Instantiated("cuGraphInstantiateWithParams", result, executable, graph);
  return result;
}

GRAPHTAP_HOOK cuGraphInstantiateWithParams_ptsz(CUgraphExec* executable, CUgraph graph,
                                                CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphInstantiateWithParams_ptsz>(executable, graph, parameters);
  Instantiated("cuGraphInstantiateWithParams", result, executable, graph);
  return result;
}

GRAPHTAP_HOOK cuGraphExecDestroy(CUgraphExec executable) {
  auto* observer = Observer::Active();
  auto* leaving = observer == nullptr ? nullptr : observer->BeforeExecDestroy(executable);
  const CUresult result = CallReal<Hook::cuGraphExecDestroy>(executable);
  if (observer != nullptr) observer->OnExecDestroy(executable, leaving, result);
  return result;
}

namespace {

// The job's launch, or in its place that of the shadow; if the driver refuses that, the job's.
template <Hook hook>
CUresult Launch(CUgraphExec executable, CUstream stream, bool per_thread) {
  auto* observer = Observer::Active();
  if (observer == nullptr) return CallReal<hook>(executable, stream);
  const auto reference = observer->Stream(stream, per_thread);
  graphtap::shadow::LaunchTicket ticket;
  auto* state = observer->BeforeLaunch(executable, reference, &ticket);
  CUresult result = CallReal<hook>(ticket.instead == nullptr ? executable : ticket.instead, stream);
  if (ticket.instead != nullptr && result != CUDA_SUCCESS) {
    observer->OnShadowRefused(&ticket);
    result = CallReal<hook>(executable, stream);
  }
  observer->OnLaunch(state, reference, result, &ticket);
  return result;
}

}  // namespace

GRAPHTAP_HOOK cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return Launch<Hook::cuGraphLaunch>(executable, stream, false);
}

GRAPHTAP_HOOK cuGraphLaunch_ptsz(CUgraphExec executable, CUstream stream) {
  return Launch<Hook::cuGraphLaunch_ptsz>(executable, stream, true);
}
