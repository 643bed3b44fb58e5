#include "interpose/record/writer_thread.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace graphtap::record {
namespace {

constexpr std::chrono::milliseconds kMaxAge(kFrameMaxAgeNs / 1'000'000);
// Of a lock that is held for nanoseconds; then it wakes by itself before long.
constexpr int kWakeTries = 100;

// Threads inherit the mask of their creator. The job's signals shall find the job's threads.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

WriterThread::WriterThread(Backlog& backlog, LossCounters& losses, BatchWriter writer,
                           Callbacks callbacks)
    : backlog_(backlog),
      losses_(losses),
      writer_(std::move(writer)),
      callbacks_(std::move(callbacks)) {}

void WriterThread::Start() {
  const AllSignalsBlocked blocked;
  thread_ = std::thread([this] { Loop(); });
}

WriterThread::~WriterThread() {
  RequestStop({});
  if (thread_.joinable()) thread_.join();
}

void WriterThread::RequestStop(std::string end) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    stop_ = true;
    end_ = std::move(end);
  }
  backlog_.Wake();
}

std::uint64_t WriterThread::AskFlush() {
  const std::uint64_t number = asked_.fetch_add(1) + 1;
  for (int tries = 0; tries < kWakeTries && !backlog_.TryWake(); ++tries) {
  }
  return number;
}

void WriterThread::AskCollect() {
  for (int tries = 0; tries < kWakeTries && !backlog_.TryWakeToCollect(); ++tries) {
  }
}

bool WriterThread::Finish(std::string end, std::chrono::milliseconds limit) {
  RequestStop(std::move(end));
  {
    std::unique_lock lock(mutex_);
    if (!stopped_signal_.wait_for(lock, limit, [this] { return stopped_; })) return false;
  }
  if (thread_.joinable()) thread_.join();  // it has nothing left to do
  return true;
}

// Runs one write. What it throws is counted: the job must not end for it.
template <typename Write>
void WriterThread::Guarded(Write write) {
  try {
    const int error = write();
    if (error == 0 || broken_) return;
    broken_ = true;
    losses_.Count(Loss::write_failed, backlog_.Break());
    if (callbacks_.on_write_error) {
      callbacks_.on_write_error(writer_.file().path() + ": " +
                                std::generic_category().message(error));
    }
  } catch (...) {
    losses_.Count(Loss::internal, 1);
  }
}

void WriterThread::WriteNow() {
  Guarded([this] { return writer_.Write(backlog_); });
}

// What is collected may be what makes a flush due.
void WriterThread::WaitUntilDue() {
  const auto due = std::chrono::steady_clock::now() + kMaxAge;
  while (!backlog_.Wait(std::max(due - std::chrono::steady_clock::now(), {}))) {
    Guarded([this] {
      if (callbacks_.collect) callbacks_.collect();
      return 0;
    });
  }
}

void WriterThread::Loop() noexcept {
  pthread_setname_np(pthread_self(), "graphtap-writer");
  // The run is in the file at once, even if the process does not live for long.
  WriteNow();
  for (;;) {
    WaitUntilDue();
    const std::uint64_t asked = asked_.load();
    bool stop = false;
    std::string end;
    {
      const std::lock_guard lock(mutex_);
      stop = stop_;
      end.swap(end_);
    }
    if (broken_ && !stop && asked == flushed_) continue;
    Guarded([this] {
      if (callbacks_.before_flush) callbacks_.before_flush();
      return 0;
    });
    if (!stop) {
      WriteNow();
      flushed_.store(asked, std::memory_order_release);
      continue;
    }
    const bool was_broken = broken_;
    Guarded([&] { return writer_.WriteLast(backlog_, end); });
    if (broken_ && !was_broken) Guarded([&] { return writer_.WriteLast(backlog_, end); });
    ended_.store(true, std::memory_order_release);
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    stopped_signal_.notify_all();
    return;
  }
}

}  // namespace graphtap::record
