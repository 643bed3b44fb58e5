// The calls that take nodes of every kind, by one struct.
#include <cstring>

#include "tests/hostcuda/runtime/copy_parameters.h"
#include "tests/hostcuda/runtime/node_parameters.h"
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Call;
using hostcuda::DriverTable;
using hostcuda::Keep;

namespace {

static_assert(sizeof(cudaGraphNodeParams) == sizeof(CUgraphNodeParams));

CUDA_KERNEL_NODE_PARAMS_v3 Widen(const CUDA_KERNEL_NODE_PARAMS& kernel) {
  return {kernel.func,         kernel.gridDimX,  kernel.gridDimY,  kernel.gridDimZ,
          kernel.blockDimX,    kernel.blockDimY, kernel.blockDimZ, kernel.sharedMemBytes,
          kernel.kernelParams, kernel.extra,     kernel.kern,      kernel.ctx};
}

cudaError_t KernelToDriver(const cudaKernelNodeParamsV2& parameters,
                           CUDA_KERNEL_NODE_PARAMS_v3* driver_parameters) {
  cudaKernelNodeParams kernel{};
  kernel.func = parameters.func;
  kernel.gridDim = parameters.gridDim;
  kernel.blockDim = parameters.blockDim;
  kernel.sharedMemBytes = parameters.sharedMemBytes;
  kernel.kernelParams = parameters.kernelParams;
  kernel.extra = parameters.extra;
  CUDA_KERNEL_NODE_PARAMS driver_kernel;
  const cudaError_t error = hostcuda::ToDriver(kernel, &driver_kernel);
  if (error == cudaSuccess) *driver_parameters = Widen(driver_kernel);
  return error;
}

// Kernels, copies and fills have words of their own; the other kinds have one layout, to which the
// driver adds the context of those that run in one.
cudaError_t ToDriver(const cudaGraphNodeParams& parameters, CUgraphNodeParams* driver_parameters) {
  std::memcpy(driver_parameters, &parameters, sizeof parameters);
  CUcontext context = nullptr;
  const cudaError_t error = hostcuda::NodeContext(&context);
  if (error != cudaSuccess) return error;
  switch (parameters.type) {
    case cudaGraphNodeTypeKernel:
      driver_parameters->kernel = {};
      return KernelToDriver(parameters.kernel, &driver_parameters->kernel);
    case cudaGraphNodeTypeMemcpy:
      driver_parameters->memcpy = {parameters.memcpy.flags, 0, context, {}};
      return hostcuda::ToDriver(parameters.memcpy.copyParams,
                                &driver_parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      driver_parameters->memset.ctx = context;
      return cudaSuccess;
    case cudaGraphNodeTypeConditional:
      driver_parameters->conditional.ctx = context;
      return cudaSuccess;
    default:
      return cudaSuccess;
  }
}

}  // namespace

extern "C" cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies,
                                        const cudaGraphEdgeData* data, size_t count,
                                        cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return Keep(cudaErrorInvalidValue);
  CUgraphNodeParams driver_parameters;
  cudaError_t error = ToDriver(*parameters, &driver_parameters);
  if (error != cudaSuccess) return Keep(error);
  error = Call(&DriverTable::cuGraphAddNode_v12030, node, graph, dependencies,
               reinterpret_cast<const CUgraphEdgeData*>(data), count, &driver_parameters);
  if (error == cudaSuccess && parameters->type == cudaGraphNodeTypeMemAlloc) {
    parameters->alloc.dptr = reinterpret_cast<void*>(driver_parameters.alloc.dptr);
  } else if (error == cudaSuccess && parameters->type == cudaGraphNodeTypeConditional) {
    parameters->conditional.phGraph_out = driver_parameters.conditional.phGraph_out;
  }
  return error;
}

extern "C" cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle,
                                                        cudaGraph_t graph, unsigned default_value,
                                                        unsigned flags) {
  CUcontext context = nullptr;
  const cudaError_t error = hostcuda::NodeContext(&context);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuGraphConditionalHandleCreate_v12030,
              reinterpret_cast<CUgraphConditionalHandle*>(handle), graph, context, default_value,
              flags);
}

extern "C" cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                              cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return Keep(cudaErrorInvalidValue);
  CUgraphNodeParams driver_parameters;
  const cudaError_t error = ToDriver(*parameters, &driver_parameters);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuGraphNodeSetParams_v12020, node, &driver_parameters);
}

extern "C" cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return Keep(cudaErrorInvalidValue);
  CUgraphNodeParams driver_parameters;
  const cudaError_t error = ToDriver(*parameters, &driver_parameters);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuGraphExecNodeSetParams_v12020, exec, node, &driver_parameters);
}
