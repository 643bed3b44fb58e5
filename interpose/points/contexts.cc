#include "interpose/points/contexts.h"

namespace graphtap::points {
namespace {

// What this thread noted last, valid while nothing was forgotten since.
struct Noted {
  std::uint64_t generation;
  CUcontext context;
};
thread_local Noted t_noted{};

std::atomic<std::uint64_t> g_generations{0};

}  // namespace

std::uint64_t Contexts::NextGeneration() noexcept { return ++g_generations; }

bool Contexts::NoteCurrent() {
  CUcontext context = nullptr;
  const bool known = calls_.context_current != nullptr && calls_.context_device != nullptr &&
                     calls_.context_push != nullptr && calls_.context_pop != nullptr;
  if (!known || calls_.context_current(&context) != CUDA_SUCCESS || context == nullptr) {
    return false;
  }
  const std::uint64_t generation = generation_.load(std::memory_order_acquire);
  if (t_noted.generation == generation && t_noted.context == context) return true;
  CUdevice device = 0;
  if (calls_.context_device(&device) != CUDA_SUCCESS) return false;
  const std::lock_guard lock(mutex_);
  if (generation_.load(std::memory_order_relaxed) != generation) return true;  // it may be the one
  devices_.emplace(device, context);
  t_noted = {generation, context};
  return true;
}

void Contexts::Forget(CUcontext context) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(devices_, [&](const auto& entry) { return entry.second == context; });
  generation_.store(NextGeneration(), std::memory_order_release);
}

void Contexts::ForgetDevice(CUdevice device) noexcept {
  const std::lock_guard lock(mutex_);
  devices_.erase(device);
  generation_.store(NextGeneration(), std::memory_order_release);
}

}  // namespace graphtap::points
