// CHECK: ends the job with one line if a runtime call fails. For the test jobs, which have nothing
// to save: exit code 1. Owner: nobody. Threads: any.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace jobs {

inline void CheckCuda(cudaError_t error, const char* call, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(error));
  std::exit(1);
}

// For what the job itself expects, with the value that it saw.
inline void Expect(bool condition, const char* what, long long seen) {
  if (condition) return;
  std::fprintf(stderr, "expected %s, seen %lld\n", what, seen);
  std::exit(1);
}

}  // namespace jobs

#define CHECK(call) ::jobs::CheckCuda((call), #call, __LINE__)
