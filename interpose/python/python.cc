#include "interpose/python/python.h"

#include <algorithm>

namespace graphtap::python {
namespace {

bool SelectsGradients(const spec::Specification& specification) {
  return std::ranges::any_of(specification.rules, [](const spec::Rule& rule) {
    return std::ranges::any_of(rule.selectors, [](const spec::Selector& selector) {
      return selector.kind == spec::SelectorKind::kGrad;
    });
  });
}

}  // namespace

Python::Python(session::Session& session)
    : session_(session),
      names_gradients_(SelectsGradients(session.settings().specification)),
      stacks_(session),
      compile_ids_(session),
      compiled_files_(session),
      parameter_names_(session) {}

void Python::Prepare() noexcept {
  if (known_.load(std::memory_order_acquire) == nullptr) {
    const std::lock_guard lock(mutex_);
    if (!interpreter_) interpreter_ = FindInterpreter();
    if (!interpreter_) return;
    known_.store(&*interpreter_, std::memory_order_release);
  }
  stacks_.Prepare(*known_.load(std::memory_order_acquire));
}

// What is selected must be known when the capture has ended, and most captures run Python code.
void Python::OnCaptureBegin(std::uint32_t capture) noexcept try {
  const Interpreter* interpreter = known_.load(std::memory_order_acquire);
  if (interpreter == nullptr) return;
  if (names_gradients_) parameter_names_.AskIn(*interpreter, capture + 1);
  compile_ids_.OnCaptureBegin(capture, stacks_.CurrentCodes());
} catch (...) {
  session_.recorder().Count(Loss::internal);
}

void Python::ReadNames() noexcept {
  const Interpreter* interpreter = known_.load(std::memory_order_acquire);
  if (interpreter != nullptr) parameter_names_.Ask(*interpreter);
}

void Python::OnCaptureEnd(std::uint32_t captures) noexcept {
  const Interpreter* interpreter = known_.load(std::memory_order_acquire);
  if (interpreter == nullptr) return;
  parameter_names_.AskIn(*interpreter, captures);
  compile_ids_.Ask(*interpreter);
  compiled_files_.Ask(*interpreter);
}

}  // namespace graphtap::python
