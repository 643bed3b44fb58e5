#include "analyzer/model/launch.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace graphtap::model {
namespace {

using nlohmann::json;

// Times are text, because they do not fit into the numbers of every JSON reader.
std::optional<std::uint64_t> Time(const json& value) {
  if (value.is_null()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  std::uint64_t time = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw json::other_error::create(500, "'" + text + "' is no time", &value);
  }
  return time;
}

// A whole number that fits: the library would cut what does not.
template <typename T>
T Number(const json& value) {
  using Limits = std::numeric_limits<T>;
  const auto number = value.get_ref<const json::number_integer_t&>();
  const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= Limits::max()
                                               : number >= std::int64_t{Limits::min()};
  if (!fits) throw json::other_error::create(501, value.dump() + " is out of range", &value);
  return static_cast<T>(number);
}

template <typename T>
std::optional<T> OptionalNumber(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(Number<T>(value));
}

Launch FromJson(const json& value) {
  Launch launch;
  launch.command = value.at("command").get<std::vector<std::string>>();
  launch.run_id = value.at("run_id").get<std::string>();
  if (const auto& revision = value.at("git_revision"); !revision.is_null()) {
    launch.git_revision = revision.get<std::string>();
  }
  launch.pid = Number<std::uint32_t>(value.at("pid"));
  launch.start_realtime_ns = Time(value.at("start_realtime_ns")).value_or(0);
  launch.end_realtime_ns = Time(value.at("end_realtime_ns"));
  launch.exit_code = OptionalNumber<int>(value.at("exit_code"));
  launch.signal = OptionalNumber<int>(value.at("signal"));
  return launch;
}

}  // namespace

absl::StatusOr<Launch> ParseLaunch(const std::string& text, const std::string& path) {
  try {
    return FromJson(json::parse(text));
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: no launch record: %s", path, error.what()));
  }
}

absl::StatusOr<std::optional<Launch>> ReadLaunch(const std::string& folder) {
  const std::string path = folder.empty() ? "launch.json" : folder + "/launch.json";
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return ParseLaunch({std::istreambuf_iterator<char>(file), {}}, path);
}

}  // namespace graphtap::model
