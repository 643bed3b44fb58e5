// Entered: while one lives, a context is current on this thread, and no driver call of this thread
// breaks anybody's capture. Owner: a scope. Threads: its own. Failure: false: the context cannot be
// made current.
#pragma once

#include "interpose/driver/driver.h"
#include "interpose/session/relaxed_capture.h"

namespace graphtap::probe {

class Entered {
 public:
  Entered(const driver::Calls& calls, CUcontext context) noexcept
      : context_(calls, context), relaxed_(calls) {}

  explicit operator bool() const noexcept { return context_.pushed; }

 private:
  struct Pushed {
    Pushed(const driver::Calls& its_calls, CUcontext context) noexcept
        : calls(its_calls), pushed(calls.context_push(context) == CUDA_SUCCESS) {}
    ~Pushed() {
      CUcontext context = nullptr;
      if (pushed) calls.context_pop(&context);
    }
    Pushed(const Pushed&) = delete;
    Pushed& operator=(const Pushed&) = delete;

    const driver::Calls& calls;
    const bool pushed;
  };

  Pushed context_;
  session::RelaxedCapture relaxed_;
};

}  // namespace graphtap::probe
