#include "analyzer/report/points_report.h"

#include <array>
#include <map>

#include "absl/strings/str_format.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/process_json.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

std::string KindName(const model::Point& point) {
  constexpr auto kNames = std::to_array<const char*>(
      {"nvtx", "capture", "instantiate", "replay", "oom", "signal", "exit"});
  const auto kind = static_cast<std::size_t>(point.record.kind());
  return kind < kNames.size() ? kNames[kind] : absl::StrFormat("kind %u", kind);
}

Json EdgeJson(const model::Point& point) {
  switch (point.record.edge()) {
    case graphtap::Point::EDGE_BEGIN:
      return "begin";
    case graphtap::Point::EDGE_END:
      return "end";
    default:
      return {};
  }
}

std::string Thread(const model::Process& process, const model::Point& point) {
  return point.record.has_thread() ? ThreadName(process, point.record.thread()) : "";
}

// Since the process was begun to be recorded.
std::string Time(const model::Process& process, const model::Point& point) {
  const std::uint64_t start = process.run.start_monotonic_ns(), at = point.record.time_ns();
  return process.run_lost || at < start ? "" : Duration(at - start);
}

std::string BytesOr(const std::optional<std::uint64_t>& bytes) {
  return bytes ? Bytes(*bytes) : "";
}

// What is said of a point beside its memory.
std::string Remark(const model::Process& process, const model::Point& point) {
  const auto& record = point.record;
  if (record.has_call()) {
    return absl::StrFormat("no %s for %s", Bytes(record.bytes()), process.StringAt(record.call()));
  }
  if (record.memory_skipped()) return "too soon after others: not looked at";
  return record.state_skipped() ? "too soon after others: allocator not looked at" : "";
}

void AddRows(const model::Process& process, const model::Point& point, Table* table) {
  std::vector<std::string> row = {point.record.label(), Time(process, point),
                                  Thread(process, point)};
  if (point.devices.empty()) {
    row.resize(8);
    row.push_back(Remark(process, point));
    table->AddRow(std::move(row));
    return;
  }
  bool first = true;
  for (const auto& [ordinal, device] : point.devices) {
    if (!first) row = {"", "", ""};
    const auto& allocator = device.allocator;
    row.push_back(absl::StrFormat("%u", ordinal));
    row.push_back(BytesOr(device.free_bytes));
    row.push_back(BytesOr(device.total_bytes));
    row.push_back(allocator ? Bytes(allocator->allocated) : "");
    row.push_back(allocator ? Bytes(allocator->reserved) : "");
    if (first) row.push_back(Remark(process, point));
    table->AddRow(std::move(row));
    first = false;
  }
}

Json OrNull(const std::optional<std::uint64_t>& value) { return value ? Json(*value) : Json(); }

Json DevicesJson(const model::Point& point) {
  Json json = Json::array();
  for (const auto& [ordinal, device] : point.devices) {
    Json entry;
    entry["device"] = ordinal;
    entry["free_bytes"] = OrNull(device.free_bytes);
    entry["total_bytes"] = OrNull(device.total_bytes);
    entry["allocator"] = Json();
    if (device.allocator) {
      entry["allocator"] = {{"allocated_bytes", device.allocator->allocated},
                            {"requested_bytes", device.allocator->requested},
                            {"pending_bytes", device.allocator->pending},
                            {"reserved_bytes", device.allocator->reserved}};
    }
    json.push_back(std::move(entry));
  }
  return json;
}

Json PointJson(const model::Process& process, const model::Point& point) {
  const auto& record = point.record;
  Json json;
  json["label"] = record.label();
  json["kind"] = KindName(point);
  json["edge"] = EdgeJson(point);
  json["thread"] = record.has_thread() ? Json(ThreadName(process, record.thread())) : Json();
  json["time_ns"] = record.time_ns();
  json["call"] = record.has_call() ? Json(process.StringAt(record.call())) : Json();
  json["bytes"] = record.has_bytes() ? Json(record.bytes()) : Json();
  json["memory_skipped"] = record.memory_skipped();
  json["state_skipped"] = record.state_skipped();
  json["state_ns"] = OrNull(point.state_ns);
  json["devices"] = DevicesJson(point);
  return json;
}

}  // namespace

std::string PointCounts(const model::Process& process) {
  if (process.points.empty()) return "";
  std::map<std::string, std::uint64_t> kinds;
  for (const auto& point : process.points) ++kinds[KindName(point)];
  std::string text = Count(process.points.size());
  const char* before = ": ";
  for (const auto& [name, count] : kinds) {
    absl::StrAppendFormat(&text, "%s%s %s", before, Count(count), name);
    before = ", ";
  }
  return text;
}

std::string PointTable(const model::Process& process, std::size_t limit) {
  Table table(
      2, {"point", ">time", "thread", ">GPU", ">free", ">of", ">allocated", ">reserved", "remark"});
  for (const auto& point : process.points) AddRows(process, point, &table);
  return table.rows() == 0 ? "" : table.Text(limit, "rows of points");
}

void AddPoints(const model::Process& process, std::size_t limit, Json* json) {
  (*json)["points_wanted"] = process.run.points();
  (*json)["points_count"] = process.points.size();
  auto& points = (*json)["points"] = Json::array();
  for (const auto& point : process.points) {
    if (Within(points.size(), limit)) points.push_back(PointJson(process, point));
  }
}

std::string MemoryPointsText(const model::Run& run, std::size_t limit) {
  std::string text;
  for (const auto& process : run.processes) {
    if (!text.empty()) text += '\n';
    text += ProcessTitle(*process) + "\n\n";
    const std::string table = PointTable(*process, limit);
    text += table.empty() ? "  memory was looked at at no point\n" : table;
  }
  return text;
}

Json MemoryPointsJson(const model::Run& run, std::size_t limit) {
  Json json;
  json["run"] = run.path;
  json["processes"] = Json::array();
  for (const auto& process : run.processes) {
    Json entry = IdentityJson(*process);
    AddPoints(*process, limit, &entry);
    json["processes"].push_back(std::move(entry));
  }
  json["damage"] = DamageJson(run);
  return json;
}

}  // namespace graphtap::report
