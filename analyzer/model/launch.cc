#include "analyzer/model/launch.h"

#include <charconv>
#include <fstream>
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

template <typename T>
std::optional<T> Optional(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

Launch FromJson(const json& value) {
  Launch launch;
  launch.command = value.at("command").get<std::vector<std::string>>();
  launch.run_id = value.at("run_id").get<std::string>();
  launch.git_revision = Optional<std::string>(value.at("git_revision"));
  launch.pid = value.at("pid").get<std::uint32_t>();
  launch.start_realtime_ns = Time(value.at("start_realtime_ns")).value_or(0);
  launch.end_realtime_ns = Time(value.at("end_realtime_ns"));
  launch.exit_code = Optional<int>(value.at("exit_code"));
  launch.signal = Optional<int>(value.at("signal"));
  return launch;
}

}  // namespace

absl::StatusOr<std::optional<Launch>> ReadLaunch(const std::string& folder) {
  const std::string path = folder.empty() ? "launch.json" : folder + "/launch.json";
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  try {
    return FromJson(json::parse(file));
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: no launch record: %s", path, error.what()));
  }
}

}  // namespace graphtap::model
