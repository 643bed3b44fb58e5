// Batch memory operation nodes.
#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/node_calls.h"

namespace hostcuda {
namespace {

CUgraphNodeParams AnyParams(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1& params) {
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  any.memOp = {params.ctx, params.count, params.paramArray, params.flags};
  return any;
}

}  // namespace
}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* added, CUgraph graph,
                                  const CUgraphNode* dependencies, size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams any = AnyParams(*params);
  return calls::cuGraphAddNode(added, graph, dependencies, count, &any);
}

// The array stays the node's until its parameters change.
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode handle,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* params) {
  GraphLock lock;
  const Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  if (params == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto& work = std::get<MemoryOperationsWork>(*node->work);
  *params = {reinterpret_cast<CUcontext>(work.context),
             static_cast<unsigned>(work.operations.size()),
             const_cast<CUstreamBatchMemOpParams*>(work.operations.data()), 0};
  return CUDA_SUCCESS;
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams any = AnyParams(*params);
  return calls::cuGraphNodeSetParams(node, &any);
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams any = AnyParams(*params);
  return calls::cuGraphExecNodeSetParams(executable, node, &any);
}

}  // namespace hostcuda::calls
