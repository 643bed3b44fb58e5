// The implementations of all driver calls, one function of the exported name each, in a namespace
// of their own: calls among ourselves never pass by a hook. Types come from cuda.h, so a definition
// of another type does not link. Call them qualified: argument types are global, so a plain name
// also finds the exported symbol. Owner: the file of each concept. Threads, failure: as CUDA says.
#pragma once

#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL  // cuda.h then shows every spelling of a call
#endif
#include <cuda.h>

namespace hostcuda::calls {

#define HOSTCUDA_CALL(need, base, symbol, version) decltype(::symbol) symbol;
#define HOSTCUDA_STREAM_CALL(need, base, symbol, version, thread_symbol, thread_version) \
  decltype(::symbol) symbol;
#include "tests/hostcuda/driver/entry_points.inc"

}  // namespace hostcuda::calls
