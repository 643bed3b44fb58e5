// Kernel and host function launches, and what is asked about kernels.
#include <vector>

#include "tests/hostcuda/driver/per_thread.h"
#include "tests/hostcuda/runtime/modules.h"
#include "tests/hostcuda/runtime/runtime.h"

namespace hostcuda {
namespace {

// What <<<…>>> pushes before the launch stub pops it again, on the same thread.
struct CallConfiguration {
  dim3 grid;
  dim3 block;
  size_t shared_bytes;
  cudaStream_t stream;
};

std::vector<CallConfiguration>& CallConfigurations() {
  static PerThread<std::vector<CallConfiguration>> configurations;
  return configurations.Get();
}

cudaError_t Launch(DefaultStream default_stream, const void* symbol, dim3 grid, dim3 block,
                   void** arguments, size_t shared_bytes, cudaStream_t stream) {
  cudaFunction_t function = nullptr;
  const cudaError_t error = FindFunction(symbol, &function);
  if (error != cudaSuccess) return Keep(error);
  return Call(default_stream, &DriverTable::cuLaunchKernel_v4000, function, grid.x, grid.y, grid.z,
              block.x, block.y, block.z, static_cast<unsigned>(shared_bytes), stream, arguments,
              static_cast<void**>(nullptr));
}

cudaError_t LaunchEx(DefaultStream default_stream, const cudaLaunchConfig_t* config,
                     const void* symbol, void** arguments) {
  if (config == nullptr) return Keep(cudaErrorInvalidValue);
  cudaFunction_t function = nullptr;
  const cudaError_t error = FindFunction(symbol, &function);
  if (error != cudaSuccess) return Keep(error);
  // The attribute of the runtime and of the driver have one layout and equal numbers.
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
  CUlaunchConfig driver_config{};
  driver_config.gridDimX = config->gridDim.x;
  driver_config.gridDimY = config->gridDim.y;
  driver_config.gridDimZ = config->gridDim.z;
  driver_config.blockDimX = config->blockDim.x;
  driver_config.blockDimY = config->blockDim.y;
  driver_config.blockDimZ = config->blockDim.z;
  driver_config.sharedMemBytes = static_cast<unsigned>(config->dynamicSmemBytes);
  driver_config.hStream = config->stream;
  driver_config.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  driver_config.numAttrs = config->numAttrs;
  return Call(default_stream, &DriverTable::cuLaunchKernelEx_v11060, &driver_config, function,
              arguments, static_cast<void**>(nullptr));
}

cudaError_t LaunchCooperative(DefaultStream default_stream, const void* symbol, dim3 grid,
                              dim3 block, void** arguments, size_t shared_bytes,
                              cudaStream_t stream) {
  cudaFunction_t function = nullptr;
  const cudaError_t error = FindFunction(symbol, &function);
  if (error != cudaSuccess) return Keep(error);
  return Call(default_stream, &DriverTable::cuLaunchCooperativeKernel_v9000, function, grid.x,
              grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared_bytes),
              stream, arguments);
}

}  // namespace
}  // namespace hostcuda

using hostcuda::Call;
using hostcuda::DriverTable;
using hostcuda::Keep;

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                CUstream_st* stream) {
  hostcuda::CallConfigurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                  void* stream) {
  auto& configurations = hostcuda::CallConfigurations();
  if (configurations.empty()) return Keep(cudaErrorMissingConfiguration);
  const hostcuda::CallConfiguration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  configurations.pop_back();
  return cudaSuccess;
}

HOSTCUDA_STREAM_ENTRY(__cudaLaunchKernel, _ptsz,
                      (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                       size_t shared_bytes, cudaStream_t stream),
                      {
                        return hostcuda::Launch(default_stream, kernel, grid, block, arguments,
                                                shared_bytes, stream);
                      })

HOSTCUDA_STREAM_ENTRY(cudaLaunchKernel, _ptsz,
                      (const void* symbol, dim3 grid, dim3 block, void** arguments,
                       size_t shared_bytes, cudaStream_t stream),
                      {
                        return hostcuda::Launch(default_stream, symbol, grid, block, arguments,
                                                shared_bytes, stream);
                      })

HOSTCUDA_STREAM_ENTRY(cudaLaunchKernelExC, _ptsz,
                      (const cudaLaunchConfig_t* config, const void* symbol, void** arguments),
                      { return hostcuda::LaunchEx(default_stream, config, symbol, arguments); })

HOSTCUDA_STREAM_ENTRY(cudaLaunchCooperativeKernel, _ptsz,
                      (const void* symbol, dim3 grid, dim3 block, void** arguments,
                       size_t shared_bytes, cudaStream_t stream),
                      {
                        return hostcuda::LaunchCooperative(default_stream, symbol, grid, block,
                                                           arguments, shared_bytes, stream);
                      })

HOSTCUDA_STREAM_ENTRY(cudaLaunchHostFunc, _ptsz,
                      (cudaStream_t stream, cudaHostFn_t function, void* data), {
                        return Call(default_stream, &DriverTable::cuLaunchHostFunc_v10000, stream,
                                    function, data);
                      })

extern "C" cudaError_t cudaFuncGetName(const char** name, const void* symbol) {
  cudaFunction_t function = nullptr;
  const cudaError_t error = hostcuda::FindFunction(symbol, &function);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuFuncGetName_v12030, name, function);
}

extern "C" cudaError_t cudaFuncGetParamInfo(const void* symbol, size_t index, size_t* offset,
                                            size_t* size) {
  cudaFunction_t function = nullptr;
  const cudaError_t error = hostcuda::FindFunction(symbol, &function);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuFuncGetParamInfo_v12040, function, index, offset, size);
}

extern "C" cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* symbol) {
  cudaFunction_t function = nullptr;
  cudaError_t error = hostcuda::FindFunction(symbol, &function);
  if (error != cudaSuccess) return Keep(error);
  *attributes = {};
  const auto get = [&](auto* field, CUfunction_attribute attribute) {
    int value = 0;
    if (error == cudaSuccess) {
      error = Call(&DriverTable::cuFuncGetAttribute_v2020, &value, attribute, function);
    }
    *field = static_cast<std::remove_reference_t<decltype(*field)>>(value);
  };
  get(&attributes->sharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  get(&attributes->constSizeBytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  get(&attributes->localSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  get(&attributes->maxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  get(&attributes->numRegs, CU_FUNC_ATTRIBUTE_NUM_REGS);
  get(&attributes->ptxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION);
  get(&attributes->binaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  get(&attributes->maxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  return error;
}

extern "C" cudaError_t cudaFuncSetAttribute(const void* symbol, cudaFuncAttribute attribute,
                                            int value) {
  cudaFunction_t function = nullptr;
  const cudaError_t error = hostcuda::FindFunction(symbol, &function);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuFuncSetAttribute_v9000, function,
              static_cast<CUfunction_attribute>(attribute), value);
}

extern "C" cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* symbol, int block_size, size_t shared_bytes, unsigned flags) {
  cudaFunction_t function = nullptr;
  const cudaError_t error = hostcuda::FindFunction(symbol, &function);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000, blocks,
              function, block_size, shared_bytes, flags);
}

extern "C" cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                     const void* symbol,
                                                                     int block_size,
                                                                     size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, symbol, block_size,
                                                                shared_bytes, 0);
}
