#include "analyzer/model/process.h"

#include "absl/strings/str_format.h"

namespace graphtap::model {

std::uint64_t Executable::replay_count() const {
  std::uint64_t count = 0;
  for (const auto& span : replays) count += span.last - span.first + 1;
  return count;
}

std::uint64_t Executable::missing_replays() const {
  return replays.empty() ? 0 : replays.back().last - replay_count();
}

std::optional<double> Executable::rate() const {
  if (replay_count() < 2 || replays.back().last_ns <= replays.front().first_ns) return std::nullopt;
  const auto span_ns = static_cast<double>(replays.back().last_ns - replays.front().first_ns);
  return static_cast<double>(replay_count() - 1) / (span_ns * 1e-9);
}

std::string ProcessKey::Text() const {
  const std::string program_text = absl::StrFormat("%s/%u", program, ordinal);
  return rank ? absl::StrFormat("rank %u/%s", *rank, program_text) : program_text;
}

std::string Process::StringAt(std::uint32_t id) const {
  const auto found = strings.find(id);
  return found == strings.end() ? "?" : found->second;
}

Ending EndingOf(const graphtap::End& end) {
  switch (end.how()) {
    case End::HOW_EXIT:
      return {.how = Ending::How::kExited, .code = end.exit_code()};
    case End::HOW_EXEC:
      return {.how = Ending::How::kReplaced};
    default:
      return {};
  }
}

}  // namespace graphtap::model
