#include "tests/hostcuda/runtime/runtime.h"

#include <mutex>
#include <vector>

namespace hostcuda {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
thread_local int thread_device = 0;

// Primary contexts, retained once for the life of the process, as the real runtime does.
struct PrimaryContexts {
  std::mutex mutex;
  std::vector<CUcontext> by_device;
};

PrimaryContexts& Contexts() {
  static PrimaryContexts& contexts = *new PrimaryContexts;
  return contexts;
}

}  // namespace

cudaError_t Keep(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

cudaError_t LastError(bool clear) {
  const cudaError_t error = last_error;
  if (clear) last_error = cudaSuccess;
  return error;
}

cudaError_t EnsureInitialized() {
  static const cudaError_t result = [] {
    const DriverTable& driver = Driver(DefaultStream::kLegacy);
    if (driver.resolver == nullptr) return cudaErrorInsufficientDriver;
    return RawCall(driver, &DriverTable::cuInit_v2000, 0U);
  }();
  return result;
}

cudaError_t PrimaryContext(int ordinal, CUcontext* context) {
  const DriverTable& driver = Driver(DefaultStream::kLegacy);
  CUdevice device = 0;
  cudaError_t error = RawCall(driver, &DriverTable::cuDeviceGet_v2000, &device, ordinal);
  if (error != cudaSuccess) return error;
  PrimaryContexts& contexts = Contexts();
  std::lock_guard lock(contexts.mutex);
  const auto index = static_cast<size_t>(ordinal);
  if (contexts.by_device.size() <= index) contexts.by_device.resize(index + 1, nullptr);
  if (contexts.by_device[index] == nullptr) {
    error = RawCall(driver, &DriverTable::cuDevicePrimaryCtxRetain_v7000,
                    &contexts.by_device[index], device);
  }
  *context = contexts.by_device[index];
  return error;
}

cudaError_t EnsureContext() {
  cudaError_t error = EnsureInitialized();
  if (error != cudaSuccess) return error;
  CUcontext current = nullptr;
  error = RawCall(Driver(DefaultStream::kLegacy), &DriverTable::cuCtxGetCurrent_v4000, &current);
  if (error != cudaSuccess || current != nullptr) return error;
  return UseDevice(thread_device);
}

cudaError_t UseDevice(int device) {
  cudaError_t error = EnsureInitialized();
  if (error != cudaSuccess) return error;
  CUcontext context = nullptr;
  error = PrimaryContext(device, &context);
  if (error != cudaSuccess) return error;
  thread_device = device;
  return RawCall(Driver(DefaultStream::kLegacy), &DriverTable::cuCtxSetCurrent_v4000, context);
}

int ThreadDevice() { return thread_device; }

}  // namespace hostcuda
