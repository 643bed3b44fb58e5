// Devices: how many there are (HOSTCUDA_DEVICES, 1 if unset), their properties and their primary
// contexts. Owner: the process. Threads: any. Failure: CUDA_ERROR_INVALID_DEVICE for an ordinal
// that does not exist. Units: bytes.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>

#include "tests/hostcuda/driver/context.h"

namespace hostcuda {

inline constexpr std::size_t kDeviceMemoryBytes = std::size_t{16} << 30;
inline constexpr unsigned kMaxThreadsPerBlock = 1024;
inline constexpr unsigned kMaxSharedBytes = 227 * 1024;

int DeviceCount();
bool IsDevice(CUdevice device);

// The primary context of a device. Its handle is live only from a retain to the last release or a
// reset.
std::shared_ptr<Context> PrimaryContext(CUdevice device);
// Whether the handle names a primary context, live or not.
bool IsPrimary(CUcontext handle);
// Makes it live if it is not, and counts.
std::shared_ptr<Context> RetainPrimary(CUdevice device);
// Counts down; the last one resets it. INVALID_CONTEXT if it is not retained.
CUresult ReleasePrimary(CUdevice device);
// Ends it whatever the count, which stays: the next retain makes it live again.
void ResetPrimary(CUdevice device);

}  // namespace hostcuda
