// Node parameters in the runtime's words and in the driver's. Owner: values; what they point to
// stays the caller's. Threads: none. Failure: cudaError_t of the look-up of a kernel or context.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace hostcuda {

cudaError_t ToDriver(const cudaKernelNodeParams& parameters,
                     CUDA_KERNEL_NODE_PARAMS* driver_parameters);
// The kernel is named by its host function where that is known, else by the driver's handle.
cudaKernelNodeParams FromDriver(const CUDA_KERNEL_NODE_PARAMS& driver_parameters);

CUDA_MEMSET_NODE_PARAMS ToDriver(const cudaMemsetParams& parameters);
cudaMemsetParams FromDriver(const CUDA_MEMSET_NODE_PARAMS& driver_parameters);

// The context that copy and fill nodes are added with: the calling thread's.
cudaError_t NodeContext(CUcontext* context);

}  // namespace hostcuda
