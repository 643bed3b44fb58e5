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

// `instantiate` makes the driver's call, once more without probes if it refused them.
template <typename Call>
CUresult Instantiate(const char* call, const CUgraphExec* executable, CUgraph graph,
                     unsigned long long flags, const Call& instantiate) {
  auto* observer = Observer::Active();
  if (observer == nullptr) return instantiate();
  const bool in_place = observer->BeforeInstantiate(graph, flags);
  CUresult result = instantiate();
  if (in_place && result != CUDA_SUCCESS && observer->TakeProbesOut(graph, result)) {
    result = instantiate();
  }
  observer->OnInstantiate(call, executable, graph, result);
  return result;
}

template <Hook hook>
CUresult InstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                               CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  const unsigned long long flags = parameters == nullptr ? 0 : parameters->flags;
  return Instantiate("cuGraphInstantiateWithParams", executable, graph, flags,
                     [=] { return CallReal<hook>(executable, graph, parameters); });
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

GRAPHTAP_HOOK cuGraphDestroyNode(CUgraphNode node) {
  if (auto* observer = Observer::Active()) observer->BeforeNodeDestroy(node);
  return CallReal<Hook::cuGraphDestroyNode>(node);
}

GRAPHTAP_HOOK cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, CUgraphNode* error_node,
                                 char* log, size_t log_bytes) {
  return Instantiate("cuGraphInstantiate", executable, graph, 0, [=] {
    return CallReal<Hook::cuGraphInstantiate>(executable, graph, error_node, log, log_bytes);
  });
}

GRAPHTAP_HOOK cuGraphInstantiate_v2(CUgraphExec* executable, CUgraph graph, CUgraphNode* error_node,
                                    char* log, size_t log_bytes) {
  return Instantiate("cuGraphInstantiate_v2", executable, graph, 0, [=] {
    return CallReal<Hook::cuGraphInstantiate_v2>(executable, graph, error_node, log, log_bytes);
  });
}

GRAPHTAP_HOOK cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph,
                                          unsigned long long flags) {
  return Instantiate("cuGraphInstantiateWithFlags", executable, graph, flags, [=] {
    return CallReal<Hook::cuGraphInstantiateWithFlags>(executable, graph, flags);
  });
}

GRAPHTAP_HOOK cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  return InstantiateWithParams<Hook::cuGraphInstantiateWithParams>(executable, graph, parameters);
}

GRAPHTAP_HOOK cuGraphInstantiateWithParams_ptsz(CUgraphExec* executable, CUgraph graph,
                                                CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  return InstantiateWithParams<Hook::cuGraphInstantiateWithParams_ptsz>(executable, graph,
                                                                        parameters);
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
CUresult LaunchProbed(Observer* observer, graphtap::graph::ExecutableState* state,
                      CUgraphExec executable, CUstream stream, bool per_thread) {
  const auto reference = observer->Stream(stream, per_thread);
  graphtap::shadow::LaunchTicket ticket;
  observer->BeforeLaunch(state, reference, &ticket);
  CUresult result = CallReal<hook>(ticket.instead == nullptr ? executable : ticket.instead, stream);
  if (ticket.instead != nullptr && result != CUDA_SUCCESS) {
    observer->OnShadowRefused(&ticket);
    result = CallReal<hook>(executable, stream);
  }
  observer->OnLaunch(state, reference, result, &ticket);
  return result;
}

template <Hook hook>
CUresult Launch(CUgraphExec executable, CUstream stream, bool per_thread) {
  auto* observer = Observer::Active();
  if (observer == nullptr) return CallReal<hook>(executable, stream);
  auto* state = observer->FindForLaunch(executable);
  if (Observer::IsProbed(state)) {
    return LaunchProbed<hook>(observer, state, executable, stream, per_thread);
  }
  const CUresult result = CallReal<hook>(executable, stream);
  observer->OnLaunch(state, observer->Stream(stream, per_thread), result);
  return result;
}

}  // namespace

GRAPHTAP_HOOK cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return Launch<Hook::cuGraphLaunch>(executable, stream, false);
}

GRAPHTAP_HOOK cuGraphLaunch_ptsz(CUgraphExec executable, CUstream stream) {
  return Launch<Hook::cuGraphLaunch_ptsz>(executable, stream, true);
}
