// Changes of executables: whole-graph updates, parameters and state of single nodes.
#include "interpose/hooks/hook.h"

using namespace graphtap::hooks;
using graphtap::graph::NodeChanges;

namespace {

// Lets the observer run `write(NodeChanges&)` where exceptions are caught.
template <typename Write>
void Changed(const Write& write) {
  auto* observer = Observer::Active();
  if (observer == nullptr) return;
  observer->OnNodeChange(
      [](NodeChanges& changes, const void* arguments) {
        (*static_cast<const Write*>(arguments))(changes);
      },
      &write);
}

}  // namespace

GRAPHTAP_HOOK cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode* error_node,
                                CUgraphExecUpdateResult* detail) {
  auto* observer = Observer::Active();
  if (observer != nullptr) observer->BeforeUpdate(executable, graph);
  const CUresult result = CallReal<Hook::cuGraphExecUpdate>(executable, graph, error_node, detail);
  if (observer != nullptr) {
    observer->OnUpdate("cuGraphExecUpdate", executable, graph, result, detail);
  }
  return result;
}

GRAPHTAP_HOOK cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                                   CUgraphExecUpdateResultInfo* info) {
  auto* observer = Observer::Active();
  if (observer != nullptr) observer->BeforeUpdate(executable, graph);
  const CUresult result = CallReal<Hook::cuGraphExecUpdate_v2>(executable, graph, info);
  if (observer != nullptr) {
    observer->OnUpdate("cuGraphExecUpdate_v2", executable, graph, result,
                       info == nullptr ? nullptr : &info->result);
  }
  return result;
}

GRAPHTAP_HOOK cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                             const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphExecKernelNodeSetParams>(executable, node, parameters);
  Changed([&](NodeChanges& changes) {
    changes.OnKernel({"cuGraphExecKernelNodeSetParams", executable, node, result}, parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                                const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphExecKernelNodeSetParams_v2>(executable, node, parameters);
  Changed([&](NodeChanges& changes) {
    changes.OnKernel({"cuGraphExecKernelNodeSetParams_v2", executable, node, result}, parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                             const CUDA_MEMCPY3D* parameters, CUcontext context) {
  const CUresult result =
      CallReal<Hook::cuGraphExecMemcpyNodeSetParams>(executable, node, parameters, context);
  Changed([&](NodeChanges& changes) {
    changes.OnMemcpy({"cuGraphExecMemcpyNodeSetParams", executable, node, result}, parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                             const CUDA_MEMSET_NODE_PARAMS* parameters,
                                             CUcontext context) {
  const CUresult result =
      CallReal<Hook::cuGraphExecMemsetNodeSetParams>(executable, node, parameters, context);
  Changed([&](NodeChanges& changes) {
    changes.OnMemset({"cuGraphExecMemsetNodeSetParams", executable, node, result}, parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_HOST_NODE_PARAMS* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphExecHostNodeSetParams>(executable, node, parameters);
  Changed([&](NodeChanges& changes) {
    changes.OnHost({"cuGraphExecHostNodeSetParams", executable, node, result}, parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                 CUgraph child) {
  const CUresult result =
      CallReal<Hook::cuGraphExecChildGraphNodeSetParams>(executable, node, child);
  Changed([&](NodeChanges& changes) {
    changes.OnChild({"cuGraphExecChildGraphNodeSetParams", executable, node, result}, child);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node,
                                                 CUevent event) {
  const CUresult result =
      CallReal<Hook::cuGraphExecEventRecordNodeSetEvent>(executable, node, event);
  Changed([&](NodeChanges& changes) {
    changes.OnEvent({"cuGraphExecEventRecordNodeSetEvent", executable, node, result},
                    CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node,
                                               CUevent event) {
  const CUresult result = CallReal<Hook::cuGraphExecEventWaitNodeSetEvent>(executable, node, event);
  Changed([&](NodeChanges& changes) {
    changes.OnEvent({"cuGraphExecEventWaitNodeSetEvent", executable, node, result},
                    CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec executable, CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* parameters) {
  const CUresult result = CallReal<Hook::cuGraphExecExternalSemaphoresSignalNodeSetParams>(
      executable, node, parameters);
  Changed([&](NodeChanges& changes) {
    changes.OnSignal({"cuGraphExecExternalSemaphoresSignalNodeSetParams", executable, node, result},
                     parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec executable, CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphExecExternalSemaphoresWaitNodeSetParams>(executable, node, parameters);
  Changed([&](NodeChanges& changes) {
    changes.OnWait({"cuGraphExecExternalSemaphoresWaitNodeSetParams", executable, node, result},
                   parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecBatchMemOpNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                                 const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters) {
  const CUresult result =
      CallReal<Hook::cuGraphExecBatchMemOpNodeSetParams>(executable, node, parameters);
  Changed([&](NodeChanges& changes) {
    changes.OnBatch({"cuGraphExecBatchMemOpNodeSetParams", executable, node, result}, parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphExecNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                       CUgraphNodeParams* parameters) {
  const CUresult result = CallReal<Hook::cuGraphExecNodeSetParams>(executable, node, parameters);
  Changed([&](NodeChanges& changes) {
    changes.OnGeneric({"cuGraphExecNodeSetParams", executable, node, result}, parameters);
  });
  return result;
}

GRAPHTAP_HOOK cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node,
                                    unsigned int enabled) {
  const CUresult result = CallReal<Hook::cuGraphNodeSetEnabled>(executable, node, enabled);
  Changed([&](NodeChanges& changes) {
    changes.OnEnabled({"cuGraphNodeSetEnabled", executable, node, result}, enabled != 0);
  });
  return result;
}
