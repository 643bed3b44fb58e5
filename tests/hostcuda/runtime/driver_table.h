// DriverTable: the driver's entry points as this runtime sees them. Found as the real runtime does:
// dlopen of libcuda.so.1, dlsym of cuGetProcAddress_v2, which is asked for all others, itself
// included. Owner: the process, for its life. Threads: loaded once, read by all. Failure: without a
// driver, or where it lacks a call, the entry is null, and Call() (runtime.h) answers as the real
// runtime does.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

namespace hostcuda {

// cudaTypedefs.h has this first spelling for the driver's own code alone; its type is the second's.
using PFN_cuDevicePrimaryCtxReset_v7000 = PFN_cuDevicePrimaryCtxReset_v11000;

struct DriverTable {
  PFN_cuGetProcAddress_v12000 resolver = nullptr;
#define HOSTCUDA_CALL(name, version) PFN_##name##_v##version name##_v##version = nullptr;
#define HOSTCUDA_STREAM_CALL(name, version, per_thread_version) \
  PFN_##name##_v##version name##_v##version = nullptr;
#include "tests/hostcuda/runtime/driver_calls.inc"
#undef HOSTCUDA_CALL
#undef HOSTCUDA_STREAM_CALL
};

// What stream 0 means to the caller: programs compiled with --default-stream per-thread call the
// entry points with the suffix _ptsz or _ptds.
enum class DefaultStream { kLegacy, kPerThread };

// The table for one meaning of stream 0. Loads both at the first call.
const DriverTable& Driver(DefaultStream default_stream);

}  // namespace hostcuda
