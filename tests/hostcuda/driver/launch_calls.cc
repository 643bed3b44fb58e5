#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/devices.h"
#include "tests/hostcuda/driver/function.h"
#include "tests/hostcuda/driver/module.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

constexpr int kThreadsPerMultiprocessor = 2048;

struct Shape {
  std::array<unsigned, 3> grid;
  std::array<unsigned, 3> block;
  unsigned shared_bytes;
};

using Attributes = std::map<CUkernelNodeAttrID, CUkernelNodeAttrValue>;

CUresult Launch(CUfunction handle, const Shape& shape, Attributes attributes,
                CUstream stream_handle, void** kernel_params, void** extra) {
  KernelWork work;
  CUresult result = ResolveFunction(handle, &work.function);
  std::shared_ptr<Stream> stream;
  if (result == CUDA_SUCCESS) result = ResolveStream(stream_handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  if (work.function->context != &stream->context.Root()) return CUDA_ERROR_INVALID_HANDLE;
  work.context = &stream->context;
  work.grid = shape.grid;
  work.block = shape.block;
  work.shared_bytes = shape.shared_bytes;
  work.attributes = std::move(attributes);
  result = CheckShape(work);
  if (result == CUDA_SUCCESS) {
    result = PackArguments(*work.function, kernel_params, extra, &work);
  }
  if (result == CUDA_SUCCESS) return Submit(*stream, std::move(work));
  CheckNotCapturing(*stream);  // a capture does not survive a launch that fails
  return result;
}

CUresult FindFunction(CUfunction handle, std::shared_ptr<Function>* function) {
  *function = Live<Function>().Find(handle);
  return *function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace

namespace calls {

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** kernel_params, void** extra) {
  Shape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
  return Launch(function, shape, {}, stream, kernel_params, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** kernel_params,
                          void** extra) {
  bool malformed = config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr);
  if (malformed) return CUDA_ERROR_INVALID_VALUE;
  Attributes attributes;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_IGNORE) continue;
    attributes[config->attrs[i].id] = config->attrs[i].value;
  }
  Shape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
              {config->blockDimX, config->blockDimY, config->blockDimZ},
              config->sharedMemBytes};
  return Launch(function, shape, std::move(attributes), config->hStream, kernel_params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void** kernel_params) {
  Shape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
  CUkernelNodeAttrValue cooperative{};
  cooperative.cooperative = 1;
  return Launch(function, shape, {{CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative}}, stream,
                kernel_params, nullptr);
}

CUresult cuFuncGetName(const char** name, CUfunction handle) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Function> function;
  CUresult result = FindFunction(handle, &function);
  if (result == CUDA_SUCCESS) *name = function->name.c_str();
  return result;
}

CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
  std::shared_ptr<Function> function;
  CUresult result = FindFunction(handle, &function);
  return result == CUDA_SUCCESS ? GetParameter(function->parameters, index, offset, bytes) : result;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  std::shared_ptr<Function> function;
  CUresult result = ResolveFunction(handle, &function);
  return result == CUDA_SUCCESS ? GetFunctionAttribute(attribute, value) : result;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  std::shared_ptr<Function> function;
  CUresult result = ResolveFunction(handle, &function);
  return result == CUDA_SUCCESS ? CheckFunctionAttribute(attribute, value) : result;
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache) {
  std::shared_ptr<Function> function;
  return ResolveFunction(handle, &function);
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction handle) {
  if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Function> function;
  CUresult result = FindFunction(handle, &function);
  if (result == CUDA_SUCCESS) *module = function->module->Handle();
  return result;
}

CUresult cuFuncLoad(CUfunction handle) {
  std::shared_ptr<Function> function;
  return FindFunction(handle, &function);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Function> function;
  CUresult result = FindFunction(handle, &function);
  if (result == CUDA_SUCCESS) *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                     int block_threads, std::size_t shared_bytes) {
  return calls::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, block_threads, shared_bytes, 0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction handle,
                                                              int block_threads, std::size_t,
                                                              unsigned) {
  bool malformed = blocks == nullptr || block_threads <= 0 ||
                   block_threads > static_cast<int>(kMaxThreadsPerBlock);
  if (malformed) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Function> function;
  CUresult result = ResolveFunction(handle, &function);
  if (result == CUDA_SUCCESS) *blocks = kThreadsPerMultiprocessor / block_threads;
  return result;
}

}  // namespace calls
}  // namespace hostcuda
