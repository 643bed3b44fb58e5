// Pending call: work that is done when Python code runs next on its main thread, which holds the
// GIL between two instructions then. Asked for again while it waits, it is done once. Owner:
// whoever has the work; it stays for good, because the interpreter is told of it. Threads: Ask from
// any. Failure: none is done in a forked child, in an interpreter without a GIL, and if too many
// wait. No units.
#pragma once

#include <unistd.h>

#include <atomic>
#include <functional>
#include <utility>

#include "interpose/python/interpreter.h"

namespace graphtap::python {

class PendingCall {
 public:
  using Work = std::function<void(const Interpreter&)>;  // must not throw
  explicit PendingCall(Work work) : work_(std::move(work)) {}

  // Always with the same interpreter, which stays.
  void Ask(const Interpreter& interpreter) noexcept {
    if (interpreter.free_threaded || asked_.exchange(true)) return;
    interpreter_.store(&interpreter);
    // The queue of such calls may be full.
    if (interpreter.is_initialized() == 0 || interpreter.add_pending_call(Run, this) != 0) {
      asked_.store(false);
    }
  }

 private:
  static int Run(void* call) noexcept {
    auto* self = static_cast<PendingCall*>(call);
    self->asked_.store(false);
    if (getpid() == self->process_) self->work_(*self->interpreter_.load());
    return 0;
  }

  const Work work_;
  const pid_t process_ = getpid();
  std::atomic<bool> asked_{false};
  std::atomic<const Interpreter*> interpreter_{nullptr};
};

}  // namespace graphtap::python
