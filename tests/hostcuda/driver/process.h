// Process: whether the driver is initialised, and what every entry point checks before it does
// anything. Owner: the process; a child after fork has no driver. Threads: any. Failure: CUresult.
// No units.
#pragma once

#include <cuda.h>

namespace hostcuda {

// What an entry point asks for; entry_points.inc says which.
enum class Need { kNothing, kInit, kContext };

// CUDA_SUCCESS, or NOT_INITIALIZED (before cuInit, after fork), DEINITIALIZED (in the driver's exit
// handler and later), INVALID_CONTEXT, CONTEXT_IS_DESTROYED, the sticky error.
CUresult CheckNeed(Need need);

// While one lives, null names the calling thread's own stream: the *_ptsz and *_ptds entry points.
class ThreadStreamScope {
 public:
  explicit ThreadStreamScope(bool thread_stream);
  ~ThreadStreamScope();
  ThreadStreamScope(const ThreadStreamScope&) = delete;
  ThreadStreamScope& operator=(const ThreadStreamScope&) = delete;

  // Whether null names the thread's own stream now.
  static bool Active();

 private:
  bool before_;
};

}  // namespace hostcuda
