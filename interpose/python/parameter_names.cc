#include "interpose/python/parameter_names.h"

#include <algorithm>
#include <iterator>

namespace graphtap::python {
namespace {

constexpr std::uint64_t kShare = 100;  // of the job's time, one part

}  // namespace

void ParameterNames::Ask(const Interpreter& interpreter, std::uint32_t captures) noexcept {
  captures_.store(captures);
  if (interpreter.free_threaded || session::Now() < next_ns_.load()) return;
  if (asked_.exchange(true)) return;
  interpreter_.store(&interpreter);
  // The queue of such calls may be full.
  if (interpreter.is_initialized() == 0 || interpreter.add_pending_call(OnPendingCall, this) != 0) {
    asked_.store(false);
  }
}

int ParameterNames::OnPendingCall(void* names) noexcept {
  auto* self = static_cast<ParameterNames*>(names);
  if (getpid() == self->process_) self->Read();
  return 0;
}

void ParameterNames::Read() noexcept {
  const std::uint64_t begin = session::Now();
  try {
    auto now = ReadParameters(*interpreter_.load());
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
  std::unordered_map<std::uint64_t, std::string> names;
  for (const Parameter& parameter : recorded_) names.try_emplace(parameter.address, parameter.name);
  const std::lock_guard lock(mutex_);
  names_.swap(names);
}

std::string ParameterNames::At(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(address);
  return found == names_.end() ? std::string() : found->second;
}

}  // namespace graphtap::python
