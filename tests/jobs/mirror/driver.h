// CHECK_DRIVER: ends the job with one line if a driver call fails, as CHECK does for the runtime;
// and old spellings of driver calls. Owner: nobody. Threads: any. Failure: exit code 1.
#pragma once

#include <cuda.h>

#include "tests/jobs/cuda_check.h"

namespace mirror {

inline void CheckDriver(CUresult result, const char* call, int line) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "line %d: %s: %s\n", line, call, name != nullptr ? name : "unknown");
  std::exit(1);
}

// The call as it was in that version of CUDA.
template <typename Function>
Function* OldSpelling(const char* name, int version) {
  void* found = nullptr;
  CheckDriver(cuGetProcAddress(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, nullptr), name,
              __LINE__);
  jobs::Expect(found != nullptr, name, 0);
  return reinterpret_cast<Function*>(found);
}

}  // namespace mirror

#define CHECK_DRIVER(call) ::mirror::CheckDriver((call), #call, __LINE__)
