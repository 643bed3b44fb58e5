// Stacks: where the calling thread is in its Python code, as definitions of the run file, each
// once. Neither the GIL nor a reference is taken: the thread's own frames are read by the layout of
// CPython, once a self-test has shown that it is that of this interpreter.
// Owner: the observer. Threads: any. Failure: no stack: where Python runs, it is counted, and one
// line says why. No units.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpose/python/code_book.h"
#include "interpose/python/interpreter.h"
#include "interpose/session/session.h"

namespace graphtap::python {

class Stacks {
 public:
  // It stays for good: the interpreter is told of it.
  explicit Stacks(session::Session& session) : session_(session) {}

  // Has the self-test done when Python code runs next on the main thread. Called more than once,
  // always with the same interpreter, which stays.
  void Prepare(const Interpreter& interpreter) noexcept;

  // False: the calling thread has no stack for certain, as Python never ran on it.
  bool MayBe() const noexcept;

  // nullopt: the thread runs no Python code, or it cannot be said where.
  std::optional<record::StackId> Current() noexcept;

  // The same for what may come at any time: of what comes before the self-test nothing is said.
  std::optional<record::StackId> CurrentIfTested() noexcept;

  // The code objects of the frames, the innermost first; none where there is no stack.
  std::vector<const void*> CurrentCodes() const;

 private:
  enum class State : std::uint8_t { kAbsent, kUntested, kAsked, kGood, kBad };

  bool IsOfMain(const void* thread) const noexcept;  // of the main interpreter
  static int OnPendingCall(void* stacks) noexcept;
  void Test() noexcept;
  void Take(const Interpreter& interpreter);
  void Refuse(const std::string& why);
  std::optional<record::StackId> Lose(const std::string& why) noexcept;
  std::optional<record::StackId> Define(std::span<const Frame> frames, bool cut);

  session::Session& session_;
  const pid_t process_ = getpid();
  std::atomic<State> state_{State::kAbsent};
  std::atomic<bool> said_{false};
  std::mutex prepare_mutex_;  // guards the begin
  // Set before the state leaves kAbsent, constant from then on.
  const Interpreter* interpreter_ = nullptr;
  const Layout* layout_ = nullptr;
  std::string why_;   // kBad
  std::mutex mutex_;  // guards all below
  std::optional<CodeBook> book_;
  record::Stack scratch_;
  std::string key_;
  std::unordered_map<std::string, record::StackId> known_;  // by their frames, as bytes
};

}  // namespace graphtap::python
