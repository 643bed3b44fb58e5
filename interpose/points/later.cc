#include "interpose/points/later.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace graphtap::points {
namespace {

// Threads inherit the mask of their creator. The job's signals shall find the job's threads.
template <typename Work>
void WithSignalsBlocked(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    work();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

Later::~Later() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Later::Post(std::function<void()> work) noexcept try {
  const std::lock_guard lock(mutex_);
  if (stop_ || waiting_.size() == kMost) return false;
  if (!started_) {
    WithSignalsBlocked([this] { thread_ = std::thread([this] { Loop(); }); });
    started_ = true;
  }
  waiting_.push_back(std::move(work));
  wake_.notify_all();
  return true;
} catch (...) {
  return false;  // no memory, or no thread
}

bool Later::Finish(std::chrono::milliseconds limit) noexcept {
  {
    std::unique_lock lock(mutex_);
    stop_ = true;
    wake_.notify_all();
    if (!started_) return true;
    // By the clock of the day: waits by the other one are hidden from thread sanitizers.
    const auto deadline = std::chrono::system_clock::now() + limit;
    if (!ended_signal_.wait_until(lock, deadline, [this] { return ended_; })) return false;
  }
  if (thread_.joinable()) thread_.join();  // it has nothing left to do
  return true;
}

void Later::Loop() noexcept {
  pthread_setname_np(pthread_self(), "graphtap-points");
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (waiting_.empty()) break;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    try {
      work();
    } catch (...) {
      // No memory.
    }
    lock.lock();
  }
  ended_ = true;
  ended_signal_.notify_all();
}

}  // namespace graphtap::points
