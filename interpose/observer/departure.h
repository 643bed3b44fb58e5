// Departure: the ways to leave that run no exit handler: _exit, and exec, which may fail. The
// caller may be a signal handler that has interrupted anything, so it only says what it wants and
// waits for the writer thread, which does the work before its next flush. Owner: the observer.
// Threads: any; BeforeFlush from the writer thread. Failure: within the limit the process leaves,
// whatever is done by then. Units: milliseconds.
#pragma once

#include <atomic>
#include <chrono>

#include "interpose/record/recorder.h"
#include "interpose/session/session.h"

namespace graphtap::observer {

class Departure {
 public:
  static record::End Exit(int status) noexcept {
    return {record::Ending::kExit, status, session::Now()};
  }

  // Until the file has its end.
  void Leave(record::Recorder& recorder, int status, std::chrono::milliseconds limit) noexcept;
  // Until the file has all that there is.
  void BeforeExec(record::Recorder& recorder, std::chrono::milliseconds limit) noexcept;
  void OnExecFailed() noexcept { exec_failed_ = true; }

  bool Asked() const noexcept { return leaves_ || execs_ || exec_failed_; }

  // What was asked for; `settle`: the values on their way arrive, or are lost; `last_look`: at
  // memory, before the process ends.
  template <typename Settle, typename LastLook>
  void BeforeFlush(record::Recorder& recorder, Settle settle, LastLook last_look) noexcept {
    if (exec_failed_.exchange(false)) {
      recorder.Append(record::End{record::Ending::kUnknown, {}, session::Now()});
    }
    if (execs_.exchange(false)) {
      settle();
      recorder.Append(record::End{record::Ending::kExec, {}, session::Now()});
    }
    if (leaves_.exchange(false)) {
      last_look();
      settle();
      recorder.RequestFinish(Exit(status_));
    }
  }

 private:
  std::atomic<bool> leaves_ = false, execs_ = false, exec_failed_ = false;
  std::atomic<int> status_ = 0;
};

}  // namespace graphtap::observer
