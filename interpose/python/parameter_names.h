// Parameter names: at quiet points of Python the parameters and buffers of all modules are read,
// and what has come, gone or moved since the last time is recorded. Owner: the observer. Threads:
// Ask from any; the reading runs on Python's main thread, with the GIL. Failure: nothing is
// recorded. Units: ns.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpose/python/interpreter.h"
#include "interpose/python/parameters.h"
#include "interpose/python/pending_call.h"
#include "interpose/python/share.h"
#include "interpose/session/session.h"

namespace graphtap::python {

class ParameterNames {
 public:
  // It stays for good: the interpreter is told of it.
  explicit ParameterNames(session::Session& session)
      : session_(session),
        reading_([this](const Interpreter& interpreter) { Read(interpreter); }) {}

  // The parameters are read when Python code runs next on the main thread, if the time that this
  // takes is one hundredth of the time in between at the most. Always with the same interpreter,
  // which stays.
  void Ask(const Interpreter& interpreter) noexcept;
  // The same: a capture ended or begins, of so many that have begun.
  void AskIn(const Interpreter& interpreter, std::uint32_t captures) noexcept;

  // The name of the parameter that begins there, at the last reading; "": there is none. Of several
  // the first.
  std::string At(std::uint64_t address) const;

 private:
  void Read(const Interpreter& interpreter) noexcept;
  void Record(std::vector<Parameter> now, std::optional<std::uint32_t> captures);

  session::Session& session_;
  PendingCall reading_;
  std::atomic<std::int64_t> captures_{-1};  // of who asked, if that was a capture
  Share share_;
  std::vector<Parameter> recorded_;                       // sorted; of the main thread
  mutable std::mutex mutex_;                              // guards what follows
  std::unordered_map<std::uint64_t, std::string> names_;  // by address
};

}  // namespace graphtap::python
