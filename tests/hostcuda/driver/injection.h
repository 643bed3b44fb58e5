// Injected failures: the environment (HOSTCUDA_FAIL="cuGraphClone:3:2,cuMemAlloc:*:hold") or a test
// (hostcuda_fail) makes a call fail, or never return. Owner: the process. Threads: any; calls are
// counted in the order in which they enter. Failure: a malformed HOSTCUDA_FAIL is a line on stderr
// and exit 2. Units: calls, counted from 1.
#pragma once

#include <cuda.h>

namespace hostcuda {

// The result that this call of the entry point must return, CUDA_SUCCESS if it is to be carried
// out.
CUresult InjectedFailure(const char* base);

}  // namespace hostcuda
