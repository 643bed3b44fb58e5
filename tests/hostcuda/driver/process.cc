#include "tests/hostcuda/driver/process.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/twins.h"

namespace hostcuda {
namespace {

enum class State { kFresh, kInitialized, kForked, kExiting };

std::atomic<State> state{State::kFresh};
thread_local bool thread_stream_is_default = false;

void AtExit() {
  state = State::kExiting;
  if (std::getenv("HOSTCUDA_VERBOSE") != nullptr) {
    std::fprintf(stderr, "hostcuda: kernels without a twin: %llu\n", LaunchesWithoutTwin());
  }
}

void AfterForkInChild() { state = State::kForked; }

std::mutex& InitMutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

CUresult CheckNeed(Need need) {
  if (need == Need::kNothing) return CUDA_SUCCESS;
  switch (state.load()) {
    case State::kInitialized:
      break;
    case State::kExiting:
      return CUDA_ERROR_DEINITIALIZED;
    case State::kFresh:
    case State::kForked:
      return CUDA_ERROR_NOT_INITIALIZED;
  }
  if (need == Need::kInit) return CUDA_SUCCESS;
  std::shared_ptr<Context> context;
  return RequireContext(&context);
}

ThreadStreamScope::ThreadStreamScope(bool thread_stream) : before_(thread_stream_is_default) {
  thread_stream_is_default = thread_stream;
}

ThreadStreamScope::~ThreadStreamScope() { thread_stream_is_default = before_; }

bool ThreadStreamScope::Active() { return thread_stream_is_default; }

namespace calls {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(InitMutex());
  switch (state.load()) {
    case State::kInitialized:
      return CUDA_SUCCESS;
    case State::kExiting:
      return CUDA_ERROR_DEINITIALIZED;
    case State::kForked:
      return CUDA_ERROR_NOT_INITIALIZED;
    case State::kFresh:
      break;
  }
  if (!LoadTwinPlugins()) return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
  pthread_atfork(nullptr, nullptr, &AfterForkInChild);
  std::atexit(&AtExit);
  state = State::kInitialized;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  if (table == nullptr || id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

}  // namespace calls
}  // namespace hostcuda
