// Completion: the end of one piece of stream work, that others can wait for. Owner: shared by the
// worker that completes it and by all who wait (streams, events, host calls). Threads: any.
// Failure: none; work that fails or is skipped completes too, the context keeps the error.
// Units: steady-clock time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace hostcuda {

class Completion {
 public:
  // Marks the work as over and wakes all waiters. Further calls change nothing.
  void Complete();
  // Blocks until Complete() was called.
  void Wait() const;
  bool IsComplete() const;
  // When Complete() was called; the clock's epoch if it was not yet.
  std::chrono::steady_clock::time_point Time() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool complete_ = false;
  std::chrono::steady_clock::time_point time_;
};

using CompletionPtr = std::shared_ptr<Completion>;
using Completions = std::vector<CompletionPtr>;

// Null entries count as complete.
void WaitAll(const Completions& completions);
bool AllComplete(const Completions& completions);

}  // namespace hostcuda
