#include "analyzer/model/run_file_name.h"

#include <charconv>

#include "absl/strings/str_format.h"

namespace graphtap::model {
namespace {

// Takes the part behind the last dot off *text and reads it as a number.
template <typename T>
bool TakeNumber(std::string_view* text, int base, T* number) {
  const auto dot = text->rfind('.');
  if (dot == std::string_view::npos) return false;
  const auto part = text->substr(dot + 1);
  text->remove_suffix(part.size() + 1);
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), *number, base);
  return error == std::errc() && end == part.data() + part.size();
}

}  // namespace

std::optional<RunFileName> ParseRunFileName(std::string_view name) {
  if (!name.ends_with(kRunFileEnding)) return std::nullopt;
  name.remove_suffix(kRunFileEnding.size());
  RunFileName parsed;
  if (!TakeNumber(&name, 16, &parsed.start_realtime_ns)) return std::nullopt;
  if (!TakeNumber(&name, 10, &parsed.pid)) return std::nullopt;
  if (name.empty()) return std::nullopt;
  parsed.host = std::string(name);
  return parsed;
}

std::string FormatRunFileName(const RunFileName& name) {
  return absl::StrFormat("%s.%u.%x%s", name.host.empty() ? "unknown" : name.host, name.pid,
                         name.start_realtime_ns, kRunFileEnding);
}

}  // namespace graphtap::model
