// Nodes other than kernels that do work: copies, fills, host functions, event records and waits.
#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/node_calls.h"

namespace hostcuda {
namespace {

// Adds or sets `work` if making it succeeded.
CUresult AddMade(CUresult made, CUgraphNode* added, CUgraph graph,
                 const DependencyList& dependencies, const SharedWork& work) {
  return made == CUDA_SUCCESS ? AddWorkNode(added, graph, dependencies, work) : made;
}

CUresult SetMade(CUresult made, CUgraphNode node, const SharedWork& work) {
  return made == CUDA_SUCCESS ? SetNodeWork(node, work) : made;
}

// Setting parameters without a context keeps the node's own.
CUcontext ContextOf(CUgraphNode handle) {
  GraphLock lock;
  const Context* context = nullptr;
  if (const Node* copy = FindOfType(handle, CU_GRAPH_NODE_TYPE_MEMCPY)) {
    context = std::get<CopyWork>(*copy->work).context;
  } else if (const Node* fill = FindOfType(handle, CU_GRAPH_NODE_TYPE_MEMSET)) {
    context = std::get<FillWork>(*fill->work).context;
  }
  return reinterpret_cast<CUcontext>(const_cast<Context*>(context));
}

CUresult GetEvent(CUgraphNode handle, CUgraphNodeType type, CUevent* event) {
  GraphLock lock;
  const Node* node = FindOfType(handle, type);
  if (event == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *event = EventOf(*node);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuGraphAddMemcpyNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMCPY3D* params, CUcontext context) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, context, &work);
  return AddMade(made, added, graph, {dependencies, nullptr, count}, work);
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D* params) {
  GraphLock lock;
  const Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (params == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = CopyParams(*node);
  return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, ContextOf(node), &work);
  return SetMade(made, node, work);
}

CUresult cuGraphAddMemsetNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS_v1* params,
                              CUcontext context) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, context, &work);
  return AddMade(made, added, graph, {dependencies, nullptr, count}, work);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS_v1* params) {
  GraphLock lock;
  const Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_MEMSET);
  if (params == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = FillParams(*node);
  return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, ContextOf(node), &work);
  return SetMade(made, node, work);
}

CUresult cuGraphAddHostNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, &work);
  return AddMade(made, added, graph, {dependencies, nullptr, count}, work);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode handle, CUDA_HOST_NODE_PARAMS_v1* params) {
  GraphLock lock;
  const Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_HOST);
  if (params == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = HostParams(*node);
  return CUDA_SUCCESS;
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult made = MakeWork(*params, &work);
  return SetMade(made, node, work);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* added, CUgraph graph,
                                   const CUgraphNode* dependencies, size_t count, CUevent event) {
  SharedWork work;
  CUresult made = MakeRecordWork(event, &work);
  return AddMade(made, added, graph, {dependencies, nullptr, count}, work);
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return GetEvent(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  SharedWork work;
  CUresult made = MakeRecordWork(event, &work);
  return SetMade(made, node, work);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, CUevent event) {
  SharedWork work;
  CUresult made = MakeWaitWork(event, &work);
  return AddMade(made, added, graph, {dependencies, nullptr, count}, work);
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return GetEvent(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  SharedWork work;
  CUresult made = MakeWaitWork(event, &work);
  return SetMade(made, node, work);
}

}  // namespace hostcuda::calls
