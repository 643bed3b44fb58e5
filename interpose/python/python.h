// Python: what is known of the interpreter in this process, if there is one. Owner: the observer.
// Threads: any. Failure: as its parts'. No units.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <optional>

#include "interpose/python/compile_ids.h"
#include "interpose/python/compiled_files.h"
#include "interpose/python/parameter_names.h"
#include "interpose/python/stacks.h"

namespace graphtap::python {

class Python {
 public:
  // It stays for good: the interpreter is told of it.
  explicit Python(session::Session& session);

  // Looks for an interpreter, until there is one. Called when there may be, more than once.
  void Prepare() noexcept;

  // The capture of this number began on the calling thread.
  void OnCaptureBegin(std::uint32_t capture) noexcept;

  // A capture ended, of so many that had begun.
  void OnCaptureEnd(std::uint32_t captures) noexcept;
  // An eager step began, with its first operator, or ended.
  void OnStepBegin() noexcept {
    if (names_gradients_) ReadNames();  // what is selected must be known by the backward pass
  }
  void OnStepEnd() noexcept { ReadNames(); }

  // A replay of this number was launched, none if it is 0: soon after the capture, and then every
  // so often.
  void OnReplay(std::uint64_t number) noexcept {
    constexpr std::uint64_t kEvery = 128;
    const bool often = number != 0 && number % kEvery == 0;
    if (often || std::has_single_bit(number)) ReadNames();
  }

  Stacks& stacks() noexcept { return stacks_; }
  const ParameterNames& parameter_names() const noexcept { return parameter_names_; }

 private:
  void ReadNames() noexcept;

  session::Session& session_;
  const bool names_gradients_;  // the specification selects some, by the names of parameters maybe
  std::mutex mutex_;            // guards the search
  std::optional<Interpreter> interpreter_;
  std::atomic<const Interpreter*> known_{nullptr};  // that one, once it is there
  Stacks stacks_;
  CompileIds compile_ids_;
  CompiledFiles compiled_files_;
  ParameterNames parameter_names_;
};

}  // namespace graphtap::python
