#include "interpose/python/parameter_names.h"

#include <algorithm>
#include <iterator>

namespace graphtap::python {

void ParameterNames::Ask(const Interpreter& interpreter) noexcept {
  if (!share_.TooEarly()) reading_.Ask(interpreter);
}

void ParameterNames::AskIn(const Interpreter& interpreter, std::uint32_t captures) noexcept {
  if (share_.TooEarly()) return;
  captures_.store(captures);
  reading_.Ask(interpreter);
}

// Asked for while the one before went on, it may be too early by now.
void ParameterNames::Read(const Interpreter& interpreter) noexcept {
  const std::int64_t asked = captures_.exchange(-1);
  if (share_.TooEarly()) return;
  const auto captures = asked < 0 ? std::nullopt : std::optional<std::uint32_t>(asked);
  const std::uint64_t begin = session::Now();
  try {
    auto now = ReadParameters(interpreter);
    if (!now) return;
    Record(*std::move(now), captures);
    share_.Done(begin);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

void ParameterNames::Record(std::vector<Parameter> now, std::optional<std::uint32_t> captures) {
  auto& recorder = session_.recorder();
  const std::uint64_t time_ns = session::Now();
  const auto append = [&](const std::vector<Parameter>& parameters, bool gone) {
    for (const Parameter& parameter : parameters) {
      recorder.Append(record::ParameterPointer{recorder.Intern(parameter.name), parameter.address,
                                               parameter.bytes, captures, gone, time_ns});
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
