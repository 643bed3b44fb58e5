#include "interpose/python/python.h"

namespace graphtap::python {

void Python::Prepare() noexcept {
  if (known_.load(std::memory_order_acquire) == nullptr) {
    const std::lock_guard lock(mutex_);
    if (!interpreter_) interpreter_ = FindInterpreter();
    if (!interpreter_) return;
    known_.store(&*interpreter_, std::memory_order_release);
  }
  stacks_.Prepare(*known_.load(std::memory_order_acquire));
}

void Python::OnCaptureEnd(std::uint32_t captures) noexcept {
  const Interpreter* interpreter = known_.load(std::memory_order_acquire);
  if (interpreter != nullptr) parameter_names_.Ask(*interpreter, captures);
}

}  // namespace graphtap::python
