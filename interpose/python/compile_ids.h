// Compile ids: what torch.compile calls the code that it made of a function: "0/1", the second time
// that it compiled the first function, as its logs and its range "Torch-Compiled Region: 0/1" have
// it. A capture that begins inside such code gets its id at a quiet point of Python after its end.
// Owner: the observer. Threads: OnCaptureBegin and Ask from any; the reading runs on Python's main
// thread, with the GIL. Failure: nothing is recorded. No units.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "interpose/python/interpreter.h"
#include "interpose/python/pending_call.h"
#include "interpose/session/session.h"

namespace graphtap::python {

class CompileIds {
 public:
  // It stays for good: the interpreter is told of it.
  explicit CompileIds(session::Session& session)
      : session_(session),
        reading_([this](const Interpreter& interpreter) { Read(interpreter); }) {}

  // The code objects of the thread's frames when a capture of this number began, the innermost
  // first.
  void OnCaptureBegin(std::uint32_t capture, std::vector<const void*> codes);

  // A capture ended: those that began are looked up when Python code runs next on the main thread.
  // Always with the same interpreter, which stays.
  void Ask(const Interpreter& interpreter) noexcept;

 private:
  struct Begun {
    std::uint32_t capture = 0;
    std::vector<const void*> codes;
  };
  void Read(const Interpreter& interpreter) noexcept;

  session::Session& session_;
  PendingCall reading_;
  std::mutex mutex_;  // guards what follows
  std::vector<Begun> begun_;
};

}  // namespace graphtap::python
