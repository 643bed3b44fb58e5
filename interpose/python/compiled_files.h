// Compiled files: which files of code that Inductor generated are run by what torch.compile made of
// which function, in its forward and its backward pass. That is read at quiet points of Python,
// after a capture ended, from the functions that such code calls down to those in generated files.
// Owner: the observer. Threads: Ask from any; the reading runs on Python's main thread, with the
// GIL. Failure: what is built otherwise than known is not found. No units.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "interpose/python/compiled_code.h"
#include "interpose/python/pending_call.h"
#include "interpose/python/share.h"
#include "interpose/session/session.h"

namespace graphtap::python {

class CompiledFiles {
 public:
  // It stays for good: the interpreter is told of it.
  explicit CompiledFiles(session::Session& session)
      : session_(session),
        reading_([this](const Interpreter& interpreter) { Read(interpreter); }) {}

  // A capture ended: read when Python code runs next on the main thread, as often as the share of
  // the job's time allows. Always with the same interpreter, which stays.
  void Ask(const Interpreter& interpreter) noexcept {
    if (!share_.TooEarly()) reading_.Ask(interpreter);
  }

 private:
  void Read(const Interpreter& interpreter) noexcept;
  void Record(const Interpreter& interpreter, const CompiledCode& compiled);

  session::Session& session_;
  PendingCall reading_;
  Share share_;
  // Recorded: the file's name, the id, and the file, name and line of the function. Of the main
  // thread.
  using Entry = std::tuple<std::string, std::string, std::string, std::string, std::uint64_t>;
  std::set<Entry> recorded_;
};

// The names of the files with the code that `compiled` runs.
std::set<std::string> GeneratedFilesOf(const Interpreter& interpreter,
                                       const CompiledCode& compiled);

}  // namespace graphtap::python
