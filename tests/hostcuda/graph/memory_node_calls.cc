// Nodes that allocate and free memory.
#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/node_calls.h"

namespace hostcuda::calls {

CUresult cuGraphAddMemAllocNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  any.alloc = {params->poolProps, params->accessDescs, params->accessDescCount, params->bytesize,
               0};
  CUresult result = calls::cuGraphAddNode(added, graph, dependencies, count, &any);
  if (result == CUDA_SUCCESS) params->dptr = any.alloc.dptr;
  return result;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode handle, CUDA_MEM_ALLOC_NODE_PARAMS_v1* params) {
  GraphLock lock;
  const Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  if (params == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEM_ALLOC_NODE_PARAMS_v2& kept = AllocationOf(*node->work).params();
  *params = {kept.poolProps, kept.accessDescs, kept.accessDescCount, kept.bytesize, kept.dptr};
  return CUDA_SUCCESS;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                               size_t count, CUdeviceptr address) {
  SharedWork work;
  CUresult result = MakeFreeWork(address, &work);
  if (result != CUDA_SUCCESS) return result;
  return AddWorkNode(added, graph, {dependencies, nullptr, count}, work);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr* address) {
  GraphLock lock;
  const Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_MEM_FREE);
  if (address == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *address = AllocationOf(*node->work).address();
  return CUDA_SUCCESS;
}

}  // namespace hostcuda::calls
