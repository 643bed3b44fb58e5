#include "interpose/torch/allocator_watch.h"

#include <ATen/record_function.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "interpose/torch/allocator_state.h"
#include "interpose/torch/allocator_tracker.h"
#include "interpose/torch/host.h"

namespace graphtap::torch {
namespace {

using c10::cuda::CUDACachingAllocator::CUDAAllocator;
using Clock = std::chrono::steady_clock;

enum class Stage { kOff, kWaiting, kAttaching, kAttached, kImpossible };
std::atomic<Stage> stage{Stage::kOff};
std::atomic<at::CallbackHandle> watcher{at::INVALID_CALLBACK_HANDLE};

// The allocator says that it is initialised when that has only begun. The thread in which CUDA
// began also does that; what other threads see is only believed after a while.
constexpr std::chrono::milliseconds kPatience{1};
thread_local bool asked_here = false;
std::atomic<Clock::rep> first_seen{0};

bool IsSettled() noexcept {
  if (asked_here) return true;
  const Clock::rep now = Clock::now().time_since_epoch().count();
  Clock::rep first = 0;
  if (first_seen.compare_exchange_strong(first, now)) return false;
  return Clock::duration(now - first) >= kPatience;
}

CUDAAllocator* InitialisedAllocator() {
  CUDAAllocator* allocator = c10::cuda::CUDACachingAllocator::get();
  return allocator != nullptr && allocator->initialized() ? allocator : nullptr;
}

// Empty: it can be tracked. Only the framework's own allocator tells of its events, and only of
// memory that it caches. Of the variable's values the framework heeds this one.
std::string WhyNot(CUDAAllocator* allocator) {
  constexpr const char* kUncached = "PYTORCH_NO_CUDA_MEMORY_CACHING";
  const char* value = std::getenv(kUncached);
  if (value != nullptr && std::string_view(value) == "1") return std::string(kUncached) + " is set";
  const std::string name = allocator->name();
  return name == "native" ? "" : "the allocator is " + name;
}

// Safe inside the callback: each op runs a copy of the list of callbacks.
void RemoveWatcher() {
  const at::CallbackHandle handle = watcher.exchange(at::INVALID_CALLBACK_HANDLE);
  if (handle != at::INVALID_CALLBACK_HANDLE) at::removeCallback(handle);
}

void Attach(CUDAAllocator* allocator) {
  Stage expected = Stage::kWaiting;
  if (!stage.compare_exchange_strong(expected, Stage::kAttaching)) return;
  const std::string why = WhyNot(allocator);
  if (why.empty()) {
    AttachTracker(allocator);
    stage = Stage::kAttached;
    TellAllocatorState(allocator);
  } else {
    stage = Stage::kImpossible;
    if (Host().no_allocator != nullptr) Host().no_allocator(why.c_str());
  }
  RemoveWatcher();
}

std::unique_ptr<at::ObserverContext> OnOp(const at::RecordFunction&) noexcept {
  if (stage.load(std::memory_order_relaxed) != Stage::kWaiting) return nullptr;
  try {
    CUDAAllocator* allocator = InitialisedAllocator();
    if (allocator != nullptr && IsSettled()) Attach(allocator);
  } catch (...) {
    // Not tracked.
  }
  return nullptr;
}

}  // namespace

void WatchAllocator() noexcept {
  if (Host().allocator_event == nullptr) return;
  Stage expected = Stage::kOff;
  if (!stage.compare_exchange_strong(expected, Stage::kWaiting)) return;
  asked_here = true;
  try {
    watcher = at::addGlobalCallback(
        at::RecordFunctionCallback(&OnOp).scopes({at::RecordScope::FUNCTION}));
    // It may have been attached before the handle was there.
    if (stage != Stage::kWaiting) RemoveWatcher();
  } catch (...) {
    // Attached when ops are watched, if at all.
  }
}

void AttachIfInitialised() noexcept {
  if (stage.load() != Stage::kWaiting) return;
  try {
    if (CUDAAllocator* allocator = InitialisedAllocator()) Attach(allocator);
  } catch (...) {
    // Not tracked.
  }
}

void TakeAllocatorState() noexcept {
  if (stage.load() == Stage::kAttached) {
    TellAllocatorState(c10::cuda::CUDACachingAllocator::get());
  }
}

}  // namespace graphtap::torch
