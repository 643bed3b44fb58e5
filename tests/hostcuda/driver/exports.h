// EntryPoint: one line of entry_points.inc with its addresses. Owner: a constant table. Threads:
// any. Failure: none. Versions as CUDA counts them (12.3 is 12030).
#pragma once

#include <span>

namespace hostcuda {

struct EntryPoint {
  const char* base;
  int version;
  const void* address;
  int thread_version;          // 0: the call has no per-thread form
  const void* thread_address;  // its per-thread form
};

// In the order of the list: the forms of one base in rising order of version.
std::span<const EntryPoint> EntryPoints();

}  // namespace hostcuda
