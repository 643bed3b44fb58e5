#include "interpose/torch/thread_ops.h"

#include <memory>
#include <mutex>
#include <vector>

namespace graphtap::torch {
namespace {

// Those of threads that have ended.
struct Spare {
  std::mutex mutex;
  std::vector<ThreadOps*> all;
};

// Never destroyed: threads may end after the exit handlers have run.
Spare& GetSpare() {
  static Spare* spare = new Spare;
  return *spare;
}

thread_local ThreadOps* mine = nullptr;
thread_local bool ending = false;

struct GiveBack {
  ~GiveBack() {
    ending = true;
    if (mine == nullptr) return;
    mine->open.Clear();
    try {
      const std::lock_guard lock(GetSpare().mutex);
      GetSpare().all.push_back(mine);
    } catch (...) {
      // Without memory for the list it is not used again.
    }
    mine = nullptr;
  }
};

ThreadOps* Take() {
  {
    const std::lock_guard lock(GetSpare().mutex);
    if (!GetSpare().all.empty()) {
      ThreadOps* taken = GetSpare().all.back();
      GetSpare().all.pop_back();
      return taken;
    }
  }
  return new ThreadOps;
}

}  // namespace

ThreadOps* ThreadOps::Get() noexcept {
  if (mine != nullptr || ending) return mine;
  try {
    static thread_local GiveBack give_back;
    (void)give_back;
    mine = Take();
  } catch (...) {
    mine = nullptr;
  }
  return mine;
}

}  // namespace graphtap::torch
