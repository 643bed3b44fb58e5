// Runtime: what every cuda* entry point shares: start of the driver, the thread's device and
// context, the thread's last error, and the way a driver call is made. Owner: the process; device
// and last error belong to their thread. Threads: all functions may be called by any. Failure:
// cudaError_t; an error that a call returns is also the thread's last error.
#pragma once

#include <cuda_runtime_api.h>

#include "tests/hostcuda/runtime/driver_table.h"

namespace hostcuda {

// The runtime's error for the driver's: the two enumerations agree in every number that both have.
inline cudaError_t ToRuntime(CUresult result) { return static_cast<cudaError_t>(result); }

// Notes `error` as the thread's last one, unless it is success or only says "not ready"; returns
// it.
cudaError_t Keep(cudaError_t error);

// The thread's last error; with `clear`, it is success afterwards.
cudaError_t LastError(bool clear);

// Calls cuInit once. Its error is returned by every later call too.
cudaError_t EnsureInitialized();

// EnsureInitialized, and the thread has a current context: its own, or the primary one of its
// device.
cudaError_t EnsureContext();

// Makes `device` the thread's and its primary context current.
cudaError_t UseDevice(int device);
int ThreadDevice();
// The primary context of a device, retained for the life of the process.
cudaError_t PrimaryContext(int device, CUcontext* context);

// One driver call without any preparation. A call that the driver lacks is refused.
template <typename Function, typename... Arguments>
cudaError_t RawCall(const DriverTable& driver, Function DriverTable::* entry,
                    Arguments... arguments) {
  if (driver.*entry == nullptr) return cudaErrorCallRequiresNewerDriver;
  return ToRuntime((driver.*entry)(arguments...));
}

// One driver call in the thread's context, with its error kept.
template <typename Function, typename... Arguments>
cudaError_t Call(DefaultStream default_stream, Function DriverTable::* entry,
                 Arguments... arguments) {
  cudaError_t error = EnsureContext();
  if (error == cudaSuccess) error = RawCall(Driver(default_stream), entry, arguments...);
  return Keep(error);
}

template <typename Function, typename... Arguments>
cudaError_t Call(Function DriverTable::* entry, Arguments... arguments) {
  return Call(DefaultStream::kLegacy, entry, arguments...);
}

inline CUdeviceptr Address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace hostcuda

// Defines an entry point and its per-thread-default-stream form. The body sees `default_stream`.
#define HOSTCUDA_STREAM_ENTRY(name, suffix, parameters, ...)             \
  extern "C" cudaError_t name parameters {                               \
    constexpr auto default_stream = hostcuda::DefaultStream::kLegacy;    \
    __VA_ARGS__                                                          \
  }                                                                      \
  extern "C" cudaError_t name##suffix parameters {                       \
    constexpr auto default_stream = hostcuda::DefaultStream::kPerThread; \
    __VA_ARGS__                                                          \
  }
