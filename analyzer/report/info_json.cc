#include "absl/strings/str_format.h"
#include "analyzer/report/allocator_report.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/info_report.h"
#include "analyzer/report/points_report.h"
#include "analyzer/report/probes_report.h"
#include "analyzer/report/process_json.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json LaunchJson(const model::Launch& launch) {
  Json json;
  json["command"] = launch.command;
  json["pid"] = launch.pid;
  json["git_revision"] = OrNull(launch.git_revision);
  json["start_realtime_ns"] = launch.start_realtime_ns;
  json["end_realtime_ns"] = OrNull(launch.end_realtime_ns);
  json["exit_code"] = OrNull(launch.exit_code);
  json["signal"] = OrNull(launch.signal);
  return json;
}

Json PairsJson(const google::protobuf::RepeatedPtrField<KeyValue>& pairs) {
  Json json = Json::object();
  for (const auto& pair : pairs) json[pair.key()] = pair.value();
  return json;
}

Json GpuJson(const Gpu& gpu) {
  Json json;
  json["ordinal"] = gpu.ordinal();
  json["name"] = gpu.name();
  json["uuid"] = Hex(gpu.uuid());
  json["memory_bytes"] = gpu.memory_bytes();
  json["multiprocessors"] = gpu.multiprocessors();
  json["compute_capability"] = gpu.compute_capability();
  return json;
}

void AddSurroundings(const graphtap::Run& run, Json* json) {
  (*json)["name"] = run.name();
  (*json)["group"] = run.group_id();
  (*json)["arguments"] =
      Json(std::vector<std::string>(run.arguments().begin(), run.arguments().end()));
  (*json)["working_directory"] = run.working_directory();
  (*json)["graphtap_version"] = run.graphtap_version();
  (*json)["driver_version"] =
      run.has_driver_version() ? Json(DriverVersionName(run.driver_version())) : Json();
  (*json)["libraries"] = std::vector<std::string>(run.libraries().begin(), run.libraries().end());
  (*json)["other_tools"] =
      std::vector<std::string>(run.other_tools().begin(), run.other_tools().end());
  (*json)["metadata"] = PairsJson(run.metadata());
  (*json)["environment"] = PairsJson(run.environment());
  (*json)["gpus"] = Json::array();
  for (const auto& gpu : run.gpus()) (*json)["gpus"].push_back(GpuJson(gpu));
}

// Rows of a table, at most `limit`, and how many there are.
template <typename Rows, typename ToJson>
void AddRows(const char* name, const Rows& rows, std::size_t limit, const ToJson& to_json,
             Json* json) {
  (*json)[std::string(name) + "_count"] = rows.size();
  (*json)[name] = Json::array();
  for (const auto& [number, row] : rows) {
    if (Within((*json)[name].size(), limit)) (*json)[name].push_back(to_json(row));
  }
}

Json ProcessJson(const model::Process& process, std::size_t limit) {
  Json json = IdentityJson(process);
  AddSurroundings(process.run, &json);
  json["streams"] = process.streams.size();
  json["threads"] = process.threads.size();
  json["failed_instantiations"] = process.failed_instantiations.size();
  json["allocator"] = AllocatorJson(process);
  AddPoints(process, limit, &json);
  json["messages"] = Json::array();
  for (const auto& message : process.messages) json["messages"].push_back(MessageText(message));
  AddRows(
      "captures", process.captures, limit,
      [&](const model::Capture& capture) { return CaptureJson(process, capture); }, &json);
  AddRows("graphs", process.graphs, limit, GraphCountsJson, &json);
  AddRows(
      "executables", process.executables, limit,
      [&](const model::Executable& row) { return ExecutableJson(process, row); }, &json);
  json["probes"] = ProbesJson(process, limit);
  return json;
}

}  // namespace

Json RunJson(const model::Run& run) {
  Json json;
  json["run"] = run.path;
  json["run_id"] = run.run_id;
  json["launch"] = run.launch ? LaunchJson(*run.launch) : Json();
  return json;
}

Json InfoJson(const model::Run& run, std::size_t limit) {
  Json json = RunJson(run);
  json["processes"] = Json::array();
  for (const auto& process : run.processes) {
    json["processes"].push_back(ProcessJson(*process, limit));
  }
  json["damage"] = DamageJson(run);
  return json;
}

}  // namespace graphtap::report
