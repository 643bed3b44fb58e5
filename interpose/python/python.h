// Python: what is known of the interpreter in this process, if there is one. Owner: the observer.
// Threads: any. Failure: as its parts'. No units.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "interpose/python/parameter_names.h"
#include "interpose/python/stacks.h"

namespace graphtap::python {

class Python {
 public:
  // It stays for good: the interpreter is told of it.
  explicit Python(session::Session& session) : stacks_(session), parameter_names_(session) {}

  // Looks for an interpreter, until there is one. Called when there may be, more than once.
  void Prepare() noexcept;

  // A capture ended, of so many that had begun.
  void OnCaptureEnd(std::uint32_t captures) noexcept;

  Stacks& stacks() noexcept { return stacks_; }

 private:
  std::mutex mutex_;  // guards the search
  std::optional<Interpreter> interpreter_;
  std::atomic<const Interpreter*> known_{nullptr};  // that one, once it is there
  Stacks stacks_;
  ParameterNames parameter_names_;
};

}  // namespace graphtap::python
