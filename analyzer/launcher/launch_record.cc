#include "analyzer/launcher/launch_record.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace graphtap::launcher {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json TimeText(const std::optional<std::uint64_t>& time) {
  return time ? Json(std::to_string(*time)) : Json(nullptr);
}

std::string ToText(const LaunchRecord& record) {
  Json json;
  json["command"] = record.command;
  json["pid"] = record.pid;
  json["exit_code"] = OrNull(record.exit_code);
  json["signal"] = OrNull(record.signal);
  json["start_realtime_ns"] = TimeText(record.start_realtime_ns);
  json["end_realtime_ns"] = TimeText(record.end_realtime_ns);
  json["run_id"] = record.run_id;
  json["git_revision"] = OrNull(record.git_revision);
  // An argument may be any bytes: those that are no UTF-8 are replaced, not refused.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::uint64_t RealtimeNow() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

bool WriteLaunchRecord(const LaunchRecord& record, const std::filesystem::path& path,
                       std::string* error) {
  const std::filesystem::path next = path.string() + ".new";
  std::ofstream out(next, std::ios::binary | std::ios::trunc);
  out << ToText(record);
  out.close();
  std::error_code code(errno, std::generic_category());
  if (out) std::filesystem::rename(next, path, code);
  if (!out || code) {
    *error = "cannot write '" + path.string() + "': " + code.message();
    std::error_code ignored;
    std::filesystem::remove(next, ignored);
    return false;
  }
  return true;
}

}  // namespace graphtap::launcher
