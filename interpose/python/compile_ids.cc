#include "interpose/python/compile_ids.h"

#include <utility>

#include "interpose/python/compiled_code.h"

namespace graphtap::python {
namespace {

// So many captures wait for a main thread that runs no Python; those that begin later have no id.
constexpr std::size_t kMostBegun = 1024;

}  // namespace

void CompileIds::OnCaptureBegin(std::uint32_t capture, std::vector<const void*> codes) {
  if (codes.empty()) return;
  const std::lock_guard lock(mutex_);
  if (begun_.size() < kMostBegun) begun_.push_back({capture, std::move(codes)});
}

void CompileIds::Ask(const Interpreter& interpreter) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (begun_.empty()) return;
  }
  reading_.Ask(interpreter);
}

void CompileIds::Read(const Interpreter& interpreter) noexcept {
  try {
    std::vector<Begun> begun;
    {
      const std::lock_guard lock(mutex_);
      begun.swap(begun_);
    }
    auto& recorder = session_.recorder();
    for (const Begun& capture : begun) {
      for (const void* code : capture.codes) {
        const auto id = CompileIdOf(interpreter, code);
        if (!id) continue;
        recorder.Append(record::CompiledRegion{capture.capture, recorder.Intern(*id)});
        break;
      }
    }
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

}  // namespace graphtap::python
