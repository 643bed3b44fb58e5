#include "tests/hostcuda/driver/function.h"

#include <cstring>

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/devices.h"
#include "tests/hostcuda/driver/module.h"

namespace hostcuda {
namespace {

// What `extra` holds: a list of keys, each followed by its value.
struct ArgumentBuffer {
  const void* start = nullptr;
  const std::size_t* bytes = nullptr;
};

CUresult ReadExtra(void** extra, ArgumentBuffer* buffer) {
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer->start = extra[1];
    } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      buffer->bytes = static_cast<const std::size_t*>(extra[1]);
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  bool complete = buffer->start != nullptr && buffer->bytes != nullptr;
  return complete ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult PackExtra(const Function& function, void** extra, KernelWork* work) {
  ArgumentBuffer buffer;
  CUresult result = ReadExtra(extra, &buffer);
  if (result != CUDA_SUCCESS) return result;
  if (*buffer.bytes < function.ArgumentBytes()) return CUDA_ERROR_INVALID_VALUE;
  const auto* start = static_cast<const std::byte*>(buffer.start);
  work->arguments.assign(start, start + *buffer.bytes);
  work->by_extra = true;
  return CUDA_SUCCESS;
}

}  // namespace

std::size_t Function::ArgumentBytes() const {
  return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size;
}

CUresult ResolveFunction(CUfunction handle, std::shared_ptr<Function>* function) {
  *function = Live<Function>().Find(handle);
  if (*function) return CUDA_SUCCESS;
  std::shared_ptr<Kernel> kernel = Live<Kernel>().Find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Context> context;
  CUresult result = RequireContext(&context);
  return result == CUDA_SUCCESS ? kernel->FunctionIn(context->Root(), function) : result;
}

CUkernel KernelOf(const Function& function) {
  std::shared_ptr<Library> library = Live<Library>().Find(function.library);
  std::shared_ptr<Kernel> kernel;
  if (!library || library->GetKernel(function.name, &kernel) != CUDA_SUCCESS) return nullptr;
  return kernel->Handle();
}

CUresult GetParameter(const std::vector<Parameter>& parameters, std::size_t index,
                      std::size_t* offset, std::size_t* bytes) {
  if (offset == nullptr || index >= parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = parameters[index].offset;
  if (bytes != nullptr) *bytes = parameters[index].size;
  return CUDA_SUCCESS;
}

CUresult GetFunctionAttribute(CUfunction_attribute attribute, int* value) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(kMaxThreadsPerBlock);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 90;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = 48 * 1024;
      return CUDA_SUCCESS;
    default:
      *value = 0;
      return attribute >= 0 && attribute < CU_FUNC_ATTRIBUTE_MAX ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult CheckFunctionAttribute(CUfunction_attribute attribute, int value) {
  int current = 0;
  CUresult result = GetFunctionAttribute(attribute, &current);
  if (result != CUDA_SUCCESS) return result;
  bool too_much = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
                  (value < 0 || value > static_cast<int>(kMaxSharedBytes));
  return too_much ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult PackArguments(const Function& function, void** kernel_params, void** extra,
                       KernelWork* work) {
  work->by_extra = false;
  if (extra != nullptr && kernel_params != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (extra != nullptr) return PackExtra(function, extra, work);
  if (kernel_params == nullptr && !function.parameters.empty()) return CUDA_ERROR_INVALID_VALUE;
  work->arguments.assign(function.ArgumentBytes(), std::byte{0});
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    std::memcpy(work->arguments.data() + parameter.offset, kernel_params[i], parameter.size);
  }
  return CUDA_SUCCESS;
}

CUresult CheckShape(const KernelWork& work) {
  constexpr unsigned kMaxGridX = 2147483647;
  constexpr unsigned kMaxGridYz = 65535;
  for (unsigned dimension : work.grid) {
    if (dimension == 0) return CUDA_ERROR_INVALID_VALUE;
  }
  std::size_t threads = 1;
  for (unsigned dimension : work.block) threads *= dimension;
  bool grid_fits =
      work.grid[0] <= kMaxGridX && work.grid[1] <= kMaxGridYz && work.grid[2] <= kMaxGridYz;
  bool block_fits = threads != 0 && threads <= kMaxThreadsPerBlock && work.block[2] <= 64;
  bool fits = grid_fits && block_fits && work.shared_bytes <= kMaxSharedBytes;
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace hostcuda
