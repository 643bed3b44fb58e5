#include "tests/hostcuda/runtime/modules.h"

#include <fatbinary_section.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "tests/hostcuda/runtime/runtime.h"

namespace hostcuda {
namespace {

struct Module {
  const void* image = nullptr;
  CUlibrary library = nullptr;  // null until it is needed
};

struct Kernel {
  Module* module = nullptr;
  std::string name;  // mangled
  cudaKernel_t handle = nullptr;
};

struct Registry {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<Module>> modules;  // by their own address, the handle
  std::unordered_map<const void*, Kernel> kernels;         // by host function
  std::unordered_map<const void*, const void*> symbols;    // driver handle to host function
};

Registry& TheRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

// The first use of a kernel loads its module, which a capture would forbid; the real runtime, too,
// lets a program launch a kernel for the first time in a capture.
class RelaxedCapture {
 public:
  RelaxedCapture() { Exchange(); }
  ~RelaxedCapture() { Exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  void Exchange() {
    RawCall(Driver(DefaultStream::kLegacy), &DriverTable::cuThreadExchangeStreamCaptureMode_v10010,
            &mode_);
  }

  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

cudaError_t Load(Module& module) {
  if (module.library != nullptr) return cudaSuccess;
  const RelaxedCapture relaxed;
  return RawCall(Driver(DefaultStream::kLegacy), &DriverTable::cuLibraryLoadData_v12000,
                 &module.library, module.image, static_cast<CUjit_option*>(nullptr),
                 static_cast<void**>(nullptr), 0U, static_cast<CUlibraryOption*>(nullptr),
                 static_cast<void**>(nullptr), 0U);
}

cudaError_t Resolve(Registry& registry, const void* symbol, Kernel& kernel) {
  if (kernel.handle != nullptr) return cudaSuccess;
  cudaError_t error = Load(*kernel.module);
  if (error != cudaSuccess) return error;
  error = RawCall(Driver(DefaultStream::kLegacy), &DriverTable::cuLibraryGetKernel_v12000,
                  &kernel.handle, kernel.module->library, kernel.name.c_str());
  if (error != cudaSuccess) return cudaErrorInvalidDeviceFunction;
  registry.symbols[kernel.handle] = symbol;
  return cudaSuccess;
}

}  // namespace

cudaError_t FindKernel(const void* symbol, cudaKernel_t* kernel) {
  cudaError_t error = EnsureContext();
  if (error != cudaSuccess) return error;
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  if (registry.symbols.count(symbol) != 0) {
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(symbol));
    return cudaSuccess;
  }
  const auto found = registry.kernels.find(symbol);
  if (found == registry.kernels.end()) return cudaErrorInvalidDeviceFunction;
  error = Resolve(registry, symbol, found->second);
  *kernel = found->second.handle;
  return error;
}

cudaError_t FindFunction(const void* symbol, cudaFunction_t* function) {
  cudaKernel_t kernel = nullptr;
  cudaError_t error = FindKernel(symbol, &kernel);
  if (error != cudaSuccess) return error;
  error = RawCall(Driver(DefaultStream::kLegacy), &DriverTable::cuKernelGetFunction_v12000,
                  function, kernel);
  if (error != cudaSuccess) return error;
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  registry.symbols[*function] = registry.symbols[kernel];
  return cudaSuccess;
}

const void* FindSymbol(cudaFunction_t function) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.symbols.find(function);
  return found == registry.symbols.end() ? nullptr : found->second;
}

}  // namespace hostcuda

using hostcuda::Module;
using hostcuda::TheRegistry;

extern "C" void** __cudaRegisterFatBinary(void* wrapper) {
  auto module = std::make_unique<Module>();
  module->image = static_cast<__fatBinC_Wrapper_t*>(wrapper)->data;
  const void* handle = module.get();
  std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().modules[handle] = std::move(module);
  return static_cast<void**>(const_cast<void*>(handle));
}

extern "C" void __cudaRegisterFatBinaryEnd(void**) {}

extern "C" void __cudaUnregisterFatBinary(void** handle) {
  std::lock_guard lock(TheRegistry().mutex);
  const auto found = TheRegistry().modules.find(handle);
  if (found == TheRegistry().modules.end()) return;
  const Module* module = found->second.get();
  std::erase_if(TheRegistry().kernels,
                [module](const auto& entry) { return entry.second.module == module; });
  // At exit the driver may be gone already and refuses: nothing is left to unload then.
  if (module->library != nullptr) {
    hostcuda::RawCall(Driver(hostcuda::DefaultStream::kLegacy),
                      &hostcuda::DriverTable::cuLibraryUnload_v12000, module->library);
  }
  TheRegistry().modules.erase(found);
}

extern "C" void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                                       const char* device_name, int, uint3*, uint3*, dim3*, dim3*,
                                       int*) {
  std::lock_guard lock(TheRegistry().mutex);
  hostcuda::Kernel& kernel = TheRegistry().kernels[host_function];
  kernel.module = static_cast<Module*>(static_cast<void*>(handle));
  kernel.name = device_name;
}

extern "C" char __cudaInitModule(void** handle) {
  if (hostcuda::EnsureContext() != cudaSuccess) return 0;
  std::lock_guard lock(TheRegistry().mutex);
  return hostcuda::Load(*static_cast<Module*>(static_cast<void*>(handle))) == cudaSuccess ? 1 : 0;
}

extern "C" cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* symbol) {
  return hostcuda::Keep(hostcuda::FindKernel(symbol, kernel));
}

extern "C" cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* symbol) {
  return hostcuda::Keep(hostcuda::FindKernel(symbol, kernel));
}

extern "C" cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return hostcuda::Keep(hostcuda::FindFunction(symbol, function));
}
