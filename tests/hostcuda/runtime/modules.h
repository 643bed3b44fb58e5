// Modules: the fat binaries that nvcc's start-up code registers, and the kernels in them by the
// address of their host function. A binary is loaded when its first kernel is used. Owner: the
// process. Threads: one lock. Failure: cudaErrorInvalidDeviceFunction for an address that nobody
// registered.
#pragma once

#include <cuda_runtime_api.h>

namespace hostcuda {

// The kernel behind a host function (`symbol` may also be a handle that GetKernel gave before).
cudaError_t FindKernel(const void* symbol, cudaKernel_t* kernel);

// The same as a function of the current context.
cudaError_t FindFunction(const void* symbol, cudaFunction_t* function);

// The host function whose kernel is `function`; null if none is known.
const void* FindSymbol(cudaFunction_t function);

}  // namespace hostcuda
