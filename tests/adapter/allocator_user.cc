#include "tests/adapter/allocator_user.h"

#include <ATen/ATen.h>
#if __has_include(<c10/cuda/PeerToPeerAccess.h>)
#include <c10/cuda/PeerToPeerAccess.h>
#endif

#include <atomic>

// In no header: what the framework's larger library for CUDA, which is not here, hands to the
// small.
namespace c10::cuda::_internal {
void setHasPrimaryContext(bool (*function)(c10::DeviceIndex));
}

namespace graphtap::adapter_test {
namespace {

namespace caching = c10::cuda::CUDACachingAllocator;

constexpr std::size_t kMostHeld = 300;

}  // namespace

void InitialiseAllocator() {
  c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
  caching::init(c10::cuda::device_count());
#if __has_include(<c10/cuda/PeerToPeerAccess.h>)
  c10::cuda::detail::init_p2p_access_cache(c10::cuda::device_count());
#endif
}

void RunOp() { at::empty({1}); }

AllocatorUser::AllocatorUser(unsigned seed)
    : random_(seed),
      mine_(c10::cuda::getStreamFromPool()),
      other_(c10::cuda::getStreamFromPool()) {}

void AllocatorUser::Run(int steps) {
  for (int i = 0; i < steps; ++i) Step();
}

void AllocatorUser::LeavePending() {
  Take();
  GiveBack(true);
}

void AllocatorUser::FreeAll() {
  LeavePool();
  held_.clear();
}

void AllocatorUser::Step() {
  const unsigned chance = random_() % 1000;
  if (chance < 500 && held_.size() < kMostHeld) {
    Take();
  } else if (chance < 970) {
    GiveBack(chance % 5 == 0);
  } else if (chance < 998) {
    if (pool_ == 0) {
      EnterPool();
    } else {
      LeavePool();
    }
  } else {
    EmptyCache();
  }
}

void AllocatorUser::EmptyCache() {
  try {
    caching::emptyCache();
  } catch (const c10::Error&) {
    if (pool_ == 0) throw;  // older releases refuse it in a capture
  }
}

void AllocatorUser::Take() {
  const std::size_t most = std::size_t{1} << (random_() % 25);
  c10::cuda::setCurrentCUDAStream(random_() % 4 == 0 ? other_ : mine_);
  held_.push_back(caching::get()->allocate(1 + random_() % most));
}

void AllocatorUser::GiveBack(bool used_elsewhere) {
  if (held_.empty()) return;
  c10::DataPtr& block = held_[random_() % held_.size()];
  if (used_elsewhere) {
    caching::recordStream(block, mine_);
    caching::recordStream(block, other_);
  }
  std::swap(block, held_.back());
  held_.pop_back();
}

void AllocatorUser::EnterPool() {
  static std::atomic<unsigned long long> count{0};
  pool_ = ++count;
  caching::beginAllocateToPool(
      0, {pool_, 0}, [mine = mine_.stream()](cudaStream_t stream) { return stream == mine; });
}

void AllocatorUser::LeavePool() {
  if (pool_ == 0) return;
  caching::endAllocateToPool(0, {pool_, 0});
  caching::releasePool(0, {pool_, 0});
  pool_ = 0;
}

}  // namespace graphtap::adapter_test
