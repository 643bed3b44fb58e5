#include "tests/hostcuda/runtime/node_parameters.h"

#include "tests/hostcuda/runtime/modules.h"
#include "tests/hostcuda/runtime/runtime.h"

namespace hostcuda {

cudaError_t ToDriver(const cudaKernelNodeParams& parameters,
                     CUDA_KERNEL_NODE_PARAMS* driver_parameters) {
  *driver_parameters = {};
  const cudaError_t error = FindFunction(parameters.func, &driver_parameters->func);
  if (error != cudaSuccess) return error;
  driver_parameters->gridDimX = parameters.gridDim.x;
  driver_parameters->gridDimY = parameters.gridDim.y;
  driver_parameters->gridDimZ = parameters.gridDim.z;
  driver_parameters->blockDimX = parameters.blockDim.x;
  driver_parameters->blockDimY = parameters.blockDim.y;
  driver_parameters->blockDimZ = parameters.blockDim.z;
  driver_parameters->sharedMemBytes = parameters.sharedMemBytes;
  driver_parameters->kernelParams = parameters.kernelParams;
  driver_parameters->extra = parameters.extra;
  return cudaSuccess;
}

cudaKernelNodeParams FromDriver(const CUDA_KERNEL_NODE_PARAMS& driver_parameters) {
  cudaKernelNodeParams parameters{};
  const void* handle = driver_parameters.func != nullptr
                           ? static_cast<const void*>(driver_parameters.func)
                           : static_cast<const void*>(driver_parameters.kern);
  const void* symbol = FindSymbol(static_cast<cudaFunction_t>(const_cast<void*>(handle)));
  parameters.func = const_cast<void*>(symbol != nullptr ? symbol : handle);
  parameters.gridDim = {driver_parameters.gridDimX, driver_parameters.gridDimY,
                        driver_parameters.gridDimZ};
  parameters.blockDim = {driver_parameters.blockDimX, driver_parameters.blockDimY,
                         driver_parameters.blockDimZ};
  parameters.sharedMemBytes = driver_parameters.sharedMemBytes;
  parameters.kernelParams = driver_parameters.kernelParams;
  parameters.extra = driver_parameters.extra;
  return parameters;
}

CUDA_MEMSET_NODE_PARAMS ToDriver(const cudaMemsetParams& parameters) {
  CUDA_MEMSET_NODE_PARAMS driver_parameters{};
  driver_parameters.dst = Address(parameters.dst);
  driver_parameters.pitch = parameters.pitch;
  driver_parameters.value = parameters.value;
  driver_parameters.elementSize = parameters.elementSize;
  driver_parameters.width = parameters.width;
  driver_parameters.height = parameters.height;
  return driver_parameters;
}

cudaMemsetParams FromDriver(const CUDA_MEMSET_NODE_PARAMS& driver_parameters) {
  cudaMemsetParams parameters{};
  parameters.dst = reinterpret_cast<void*>(driver_parameters.dst);
  parameters.pitch = driver_parameters.pitch;
  parameters.value = driver_parameters.value;
  parameters.elementSize = driver_parameters.elementSize;
  parameters.width = driver_parameters.width;
  parameters.height = driver_parameters.height;
  return parameters;
}

cudaError_t NodeContext(CUcontext* context) {
  const cudaError_t error = EnsureContext();
  if (error != cudaSuccess) return error;
  return RawCall(Driver(DefaultStream::kLegacy), &DriverTable::cuCtxGetCurrent_v4000, context);
}

}  // namespace hostcuda
