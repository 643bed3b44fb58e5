// Executable graphs: made, launched, changed.
#include "tests/hostcuda/runtime/copy_parameters.h"
#include "tests/hostcuda/runtime/node_parameters.h"
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Call;
using hostcuda::DriverTable;
using hostcuda::Keep;

// What instantiate and update tell has one layout in the runtime and in the driver.
static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));
static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo));

extern "C" cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                     unsigned long long flags) {
  return Call(&DriverTable::cuGraphInstantiateWithFlags_v11040, exec, graph, flags);
}

extern "C" cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                            unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

HOSTCUDA_STREAM_ENTRY(
    cudaGraphInstantiateWithParams, _ptsz,
    (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams* parameters), {
      return Call(default_stream, &DriverTable::cuGraphInstantiateWithParams_v12000, exec, graph,
                  reinterpret_cast<CUDA_GRAPH_INSTANTIATE_PARAMS*>(parameters));
    })

HOSTCUDA_STREAM_ENTRY(cudaGraphUpload, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), {
  return Call(default_stream, &DriverTable::cuGraphUpload_v11010, exec, stream);
})

HOSTCUDA_STREAM_ENTRY(cudaGraphLaunch, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), {
  return Call(default_stream, &DriverTable::cuGraphLaunch_v10000, exec, stream);
})

extern "C" cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return Call(&DriverTable::cuGraphExecDestroy_v10000, exec);
}

extern "C" cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return Call(&DriverTable::cuGraphExecGetFlags_v12000, exec, reinterpret_cast<cuuint64_t*>(flags));
}

extern "C" cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                           cudaGraphExecUpdateResultInfo* info) {
  return Call(&DriverTable::cuGraphExecUpdate_v12000, exec, graph,
              reinterpret_cast<CUgraphExecUpdateResultInfo*>(info));
}

extern "C" cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               unsigned enabled) {
  return Call(&DriverTable::cuGraphNodeSetEnabled_v11060, exec, node, enabled);
}

extern "C" cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               unsigned* enabled) {
  return Call(&DriverTable::cuGraphNodeGetEnabled_v11060, exec, node, enabled);
}

extern "C" cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaKernelNodeParams* parameters) {
  CUDA_KERNEL_NODE_PARAMS driver_parameters;
  const cudaError_t error = hostcuda::ToDriver(*parameters, &driver_parameters);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuGraphExecKernelNodeSetParams_v12000, exec, node, &driver_parameters);
}

extern "C" cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaMemcpy3DParms* parameters) {
  CUDA_MEMCPY3D copy;
  CUcontext context = nullptr;
  cudaError_t error = hostcuda::ToDriver(*parameters, &copy);
  if (error == cudaSuccess) error = hostcuda::NodeContext(&context);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuGraphExecMemcpyNodeSetParams_v10020, exec, node, &copy, context);
}

extern "C" cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec,
                                                          cudaGraphNode_t node, void* destination,
                                                          const void* source, size_t bytes,
                                                          cudaMemcpyKind kind) {
  const cudaMemcpy3DParms copy = hostcuda::LinearCopy(destination, source, bytes, kind);
  return cudaGraphExecMemcpyNodeSetParams(exec, node, &copy);
}

extern "C" cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaMemsetParams* parameters) {
  CUcontext context = nullptr;
  const cudaError_t error = hostcuda::NodeContext(&context);
  if (error != cudaSuccess) return Keep(error);
  const CUDA_MEMSET_NODE_PARAMS driver_parameters = hostcuda::ToDriver(*parameters);
  return Call(&DriverTable::cuGraphExecMemsetNodeSetParams_v10020, exec, node, &driver_parameters,
              context);
}

extern "C" cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                      const cudaHostNodeParams* parameters) {
  return Call(&DriverTable::cuGraphExecHostNodeSetParams_v10020, exec, node,
              reinterpret_cast<const CUDA_HOST_NODE_PARAMS*>(parameters));
}

extern "C" cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec,
                                                            cudaGraphNode_t node,
                                                            cudaGraph_t child) {
  return Call(&DriverTable::cuGraphExecChildGraphNodeSetParams_v11010, exec, node, child);
}

extern "C" cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec,
                                                            cudaGraphNode_t node,
                                                            cudaEvent_t event) {
  return Call(&DriverTable::cuGraphExecEventRecordNodeSetEvent_v11010, exec, node, event);
}

extern "C" cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec,
                                                          cudaGraphNode_t node, cudaEvent_t event) {
  return Call(&DriverTable::cuGraphExecEventWaitNodeSetEvent_v11010, exec, node, event);
}
