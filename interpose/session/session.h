// Session: what all parts of the library share while this process is recorded: settings, the
// driver's calls, the recorder, the numbers of threads and streams, the clock, the voice.
// Owner: the observer; leaked in a forked child. Threads: any. Failure: fail open: a method that
// cannot do its work counts a loss and returns. Units: nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "interpose/driver/driver.h"
#include "interpose/record/recorder.h"
#include "proto/lists/environment.h"
#include "proto/lists/messages.h"

namespace graphtap::session {

std::uint64_t Now() noexcept;

// A stream as the driver means it in one call: the null stream is two different streams, each
// context has its own, and the per-thread one is another in each thread.
struct StreamRef {
  CUstream handle = nullptr;
  std::uint64_t thread = 0;  // of the per-thread stream: a number that no other thread had before
  CUcontext context = nullptr;  // of the legacy and the per-thread stream: the current one
  bool operator==(const StreamRef&) const = default;
};
struct StreamHash {
  std::size_t operator()(const StreamRef& stream) const noexcept {
    const std::hash<const void*> hash;
    return hash(stream.handle) ^ (hash(stream.context) * 31) ^
           std::hash<std::uint64_t>()(stream.thread);
  }
};

// How often messages of one code are printed.
enum class Times : std::uint8_t { kOnce, kEach };

class Session {
 public:
  // With a recorder it has started; without, Start() opens the run file.
  Session(Settings settings, const driver::Calls& calls,
          std::unique_ptr<record::Recorder> recorder = nullptr);

  // Opens the run file; `before_flush` and `collect` are called on its writer thread (recorder.h).
  // False: it was said why.
  using OnWriter = std::function<void(record::Recorder&)>;
  bool Start(OnWriter before_flush, OnWriter collect = {}) noexcept;

  const Settings& settings() const noexcept { return settings_; }
  const driver::Calls& calls() const noexcept { return calls_; }
  record::Recorder& recorder() noexcept { return *recorder_; }

  // Which stream a call means by `handle`, in its legacy or per-thread spelling.
  StreamRef Stream(CUstream handle, bool per_thread) const noexcept {
    const bool named =
        handle != nullptr && handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD;
    return named ? StreamRef{handle} : DefaultStream(handle, per_thread);
  }

  // Numbers, defined in the file at their first use.
  record::ThreadId CurrentThread() noexcept;
  record::StreamId StreamNumber(const StreamRef& stream) noexcept;
  void StreamDestroyed(CUstream handle) noexcept;

  // Another tool changes kernels: probes would get in its way. "": none does.
  const std::string& changes_kernels() const noexcept { return changes_kernels_; }

  // Prints the message (as the settings allow) and records it.
  void Say(MessageCode code, const std::string& detail, Times times = Times::kOnce) noexcept;

 private:
  StreamRef DefaultStream(CUstream handle, bool per_thread) const noexcept;
  record::ThreadId DefineThread() noexcept;
  record::StreamId FindStream(const StreamRef& stream) noexcept;

  Settings settings_;
  const driver::Calls& calls_;
  std::unique_ptr<record::Recorder> recorder_;
  std::string changes_kernels_;  // constant once the session has started
  const std::uint32_t serial_;   // tells a thread's cached number of another session apart
  // Grows whenever a stream handle may mean another stream than before.
  std::atomic<std::uint64_t> stream_generation_{0};
  std::mutex streams_mutex_;
  std::unordered_map<StreamRef, record::StreamId, StreamHash> streams_;
};

// Prints a message on stderr unless `level` hides it, or one of its code was printed before and is
// to be kOnce. For the time before there is a session.
void Print(MessageCode code, LogLevel level, std::string_view detail,
           Times times = Times::kOnce) noexcept;

// A line on stderr, without a line end in it.
void WriteLine(const std::string& line) noexcept;

}  // namespace graphtap::session
