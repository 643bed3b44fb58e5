// Writer thread: empties the backlog into the run file, by size and by age. Owner: the recorder.
// Threads: one of its own, which blocks all signals. It wakes four times a second, because
// `before_flush` collects what the job only counts. Failure: after a write error the backlog is
// broken, and only losses and end are tried once more. Units: nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "interpose/record/backlog.h"
#include "interpose/record/batch_writer.h"
#include "interpose/record/loss_counters.h"

namespace graphtap::record {

class WriterThread {
 public:
  struct Callbacks {
    std::function<void()> before_flush, collect;
    std::function<void(const std::string&)> on_write_error;
  };

  WriterThread(Backlog& backlog, LossCounters& losses, BatchWriter writer, Callbacks callbacks);

  // Writes what waits, without an end, and waits for it.
  ~WriterThread();

  // Starts the thread, which first writes what waits already, without `before_flush`. Throws
  // std::system_error if there can be no thread.
  void Start();

  // Writes what waits, the encoded End, and the end frame. False: not done within `limit`. Once.
  bool Finish(std::string end, std::chrono::milliseconds limit);

  // The same without waiting; for `before_flush` too.
  void RequestStop(std::string end);
  bool ended() const { return ended_.load(std::memory_order_acquire); }

  // Asks for a flush: waits for nobody and takes no lock that it could not get at once, so that a
  // signal handler may call it. It is done when flushed() has reached the number.
  std::uint64_t AskFlush();
  std::uint64_t flushed() const { return flushed_.load(std::memory_order_acquire); }

  // On this thread, in `before_flush`: writes what waits.
  void WriteNow();

  // Asks for a call of `collect`, in the same way.
  void AskCollect();

 private:
  void Loop() noexcept;
  void WaitUntilDue();
  template <typename Write>
  void Guarded(Write write);

  Backlog& backlog_;
  LossCounters& losses_;
  BatchWriter writer_;
  Callbacks callbacks_;
  bool broken_ = false;                                 // used by the thread alone
  std::atomic<std::uint64_t> asked_ = 0, flushed_ = 0;  // flushes
  std::atomic<bool> ended_ = false;

  std::mutex mutex_;
  std::condition_variable stopped_signal_;
  // Guarded by mutex_.
  bool stop_ = false;
  bool stopped_ = false;
  std::string end_;

  std::thread thread_;
};

}  // namespace graphtap::record
