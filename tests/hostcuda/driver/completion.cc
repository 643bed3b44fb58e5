#include "tests/hostcuda/driver/completion.h"

namespace hostcuda {

void Completion::Complete() {
  std::lock_guard lock(mutex_);
  if (complete_) return;
  complete_ = true;
  time_ = std::chrono::steady_clock::now();
  changed_.notify_all();
}

void Completion::Wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return complete_; });
}

bool Completion::IsComplete() const {
  std::lock_guard lock(mutex_);
  return complete_;
}

std::chrono::steady_clock::time_point Completion::Time() const {
  std::lock_guard lock(mutex_);
  return time_;
}

void WaitAll(const Completions& completions) {
  for (const CompletionPtr& completion : completions) {
    if (completion) completion->Wait();
  }
}

bool AllComplete(const Completions& completions) {
  for (const CompletionPtr& completion : completions) {
    if (completion && !completion->IsComplete()) return false;
  }
  return true;
}

}  // namespace hostcuda
