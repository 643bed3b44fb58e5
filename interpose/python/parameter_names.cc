#include "interpose/python/parameter_names.h"

#include <algorithm>
#include <iterator>

namespace graphtap::python {
namespace {

constexpr std::uint64_t kShare = 100;  // of the job's time, one part

}  // namespace

void ParameterNames::Ask(std::uint32_t captures) noexcept try {
  captures_.store(captures);
  if (session::Now() < next_ns_.load() || asked_.exchange(true)) return;
  const std::lock_guard lock(mutex_);
  if (!interpreter_) interpreter_ = FindInterpreter();
  const bool there = interpreter_ && !interpreter_->free_threaded;
  // The queue of such calls may be full.
  if (!there || interpreter_->is_initialized() == 0 ||
      interpreter_->add_pending_call(OnPendingCall, this) != 0) {
    asked_.store(false);
  }
} catch (...) {
  session_.recorder().Count(Loss::internal);
}

int ParameterNames::OnPendingCall(void* names) noexcept {
  auto* self = static_cast<ParameterNames*>(names);
  if (getpid() == self->process_) self->Read();
  return 0;
}

void ParameterNames::Read() noexcept {
  const std::uint64_t begin = session::Now();
  try {
    auto now = ReadParameters(*interpreter_);
    if (now) {
      Record(*std::move(now));
      const std::uint64_t end = session::Now();
      next_ns_.store(end + kShare * (end - begin));
    }
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
  asked_.store(false);
}

void ParameterNames::Record(std::vector<Parameter> now) {
  auto& recorder = session_.recorder();
  const auto append = [&](const std::vector<Parameter>& parameters, bool gone) {
    for (const Parameter& parameter : parameters) {
      recorder.Append(record::ParameterPointer{recorder.Intern(parameter.name), parameter.address,
                                               parameter.bytes, captures_.load(), gone,
                                               session::Now()});
    }
  };
  std::vector<Parameter> changed;
  std::ranges::set_difference(recorded_, now, std::back_inserter(changed));
  append(changed, true);
  changed.clear();
  std::ranges::set_difference(now, recorded_, std::back_inserter(changed));
  append(changed, false);
  recorded_ = std::move(now);
}

}  // namespace graphtap::python
