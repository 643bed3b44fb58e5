// Writer thread: empties the backlog into the run file, by size and by age. Owner: the recorder.
// Threads: one of its own, which blocks all signals. It wakes four times a second, because
// `before_flush` collects what the job only counts. Failure: after a write error the backlog is
// broken and nothing more is written. Units: nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <chrono>
#include <condition_variable>
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
    std::function<void()> before_flush;
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

 private:
  void Loop() noexcept;
  template <typename Write>
  void Guarded(Write write);
  void RequestStop(std::string end);

  Backlog& backlog_;
  LossCounters& losses_;
  BatchWriter writer_;
  Callbacks callbacks_;
  bool broken_ = false;  // used by the thread alone

  std::mutex mutex_;
  std::condition_variable stopped_signal_;
  // Guarded by mutex_.
  bool stop_ = false;
  bool stopped_ = false;
  std::string end_;

  std::thread thread_;
};

}  // namespace graphtap::record
