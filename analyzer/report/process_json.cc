#include "analyzer/report/process_json.h"

#include "absl/strings/str_format.h"
#include "analyzer/model/graph_summary.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/tensor_words.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

const char* EndingWord(model::Ending::How how) {
  switch (how) {
    case model::Ending::How::kExited:
      return "exit";
    case model::Ending::How::kSignaled:
      return "signal";
    case model::Ending::How::kRunning:
      return "running";
    case model::Ending::How::kReplaced:
      return "exec";
    default:
      return "unknown";
  }
}

Json StreamsJson(const model::Process& process, const std::vector<std::uint32_t>& ids) {
  Json json = Json::array();
  for (const auto id : ids) json.push_back(StreamName(process, id));
  return json;
}

}  // namespace

Json IdentityJson(const model::Process& process) {
  const auto& run = process.run;
  Json json;
  json["process"] = process.name;
  json["key"] = process.key.Text();
  json["file"] = process.file;
  json["host"] = run.host();
  json["pid"] = run.pid();
  json["program"] = run.program();
  json["rank"] = run.has_rank() ? Json(run.rank()) : Json();
  json["world_size"] = run.has_world_size() ? Json(run.world_size()) : Json();
  json["start_realtime_ns"] = run.start_realtime_ns();
  json["ended"] = EndingWord(process.ending.how);
  const bool exited = process.ending.how == model::Ending::How::kExited;
  const bool signaled = process.ending.how == model::Ending::How::kSignaled;
  json["exit_code"] = exited ? Json(process.ending.code) : Json();
  json["signal"] = signaled ? Json(process.ending.code) : Json();
  const auto lifetime = LifetimeNs(process);
  json["lifetime_ns"] = lifetime ? Json(*lifetime) : Json();
  return json;
}

Json CaptureJson(const model::Process& process, const model::Capture& capture) {
  static constexpr const char* kOutcomes[] = {"open", "graph", "failed"};
  const auto& record = capture.record;
  const auto outcome = static_cast<std::size_t>(record.outcome());
  Json json;
  json["capture"] = absl::StrFormat("c%u", record.number());
  json["key"] = capture.key;
  json["outcome"] = outcome < std::size(kOutcomes) ? kOutcomes[outcome] : "unknown";
  json["error"] = record.error() != 0 ? Json(ResultName(record.error())) : Json();
  json["graph"] = record.has_graph() ? Json(absl::StrFormat("g%u", record.graph())) : Json();
  json["nodes"] = record.has_node_count() ? Json(record.node_count()) : Json();
  json["mode"] = CaptureModeName(record.mode());
  json["stream"] = StreamName(process, record.stream());
  json["joined_streams"] =
      StreamsJson(process, {record.joined_streams().begin(), record.joined_streams().end()});
  json["thread"] = ThreadName(process, record.thread());
  json["begin_ns"] = record.begin_ns();
  json["end_ns"] = record.has_end_ns() ? Json(record.end_ns()) : Json();
  return json;
}

Json ExecutableJson(const model::Process& process, const model::Executable& executable) {
  const auto& record = executable.record;
  Json json;
  json["executable"] = executable.name;
  json["key"] = executable.key;
  json["graph"] = executable.graph == nullptr ? Json() : Json(executable.graph->name);
  json["current_graph"] = executable.current == nullptr ? Json() : Json(executable.current->name);
  json["call"] = record.has_call() ? Json(process.StringAt(record.call())) : Json();
  json["flags"] = InstantiateFlagNames(record.flags());
  json["replays"] = executable.replay_count();
  json["missing_replays"] = executable.missing_replays();
  json["replay_spans"] = Json::array();
  for (const auto& span : executable.replays) {
    json["replay_spans"].push_back({{"first", span.first},
                                    {"last", span.last},
                                    {"first_ns", span.first_ns},
                                    {"last_ns", span.last_ns}});
  }
  const auto rate = executable.rate();
  json["replays_per_second"] = rate ? Json(*rate) : Json();
  json["streams"] = StreamsJson(process, executable.streams);
  json["due"] = Json::array();
  for (const auto& replay : executable.due) {
    json["due"].push_back({{"replay", replay.number()},
                           {"sampled", replay.sampled()},
                           {"lost", replay.has_lost() ? Json(LossText(replay.lost())) : Json()},
                           {"time_ns", replay.time_ns()}});
  }
  json["observations"] = executable.observations.size();
  json["failed_launches"] = Json::array();
  for (const auto& failure : executable.failures) {
    json["failed_launches"].push_back({{"error", ResultName(failure.error())},
                                       {"stream", StreamName(process, failure.stream())},
                                       {"time_ns", failure.time_ns()}});
  }
  return json;
}

Json GraphCountsJson(const model::Graph& graph) {
  const auto summary = model::Summarize(graph);
  Json json;
  json["graph"] = graph.name;
  json["key"] = graph.key;
  json["capture"] =
      graph.record.has_capture() ? Json(absl::StrFormat("c%u", graph.record.capture())) : Json();
  json["eager"] = graph.record.eager();
  json["nodes"] = graph.nodes.size();
  json["missing_nodes"] = summary.missing_nodes;
  json["edges"] = summary.edges;
  json["programmatic_edges"] = summary.programmatic_edges;
  json["kinds"] = Json::object();
  for (const auto& [kind, count] : summary.kinds) json["kinds"][NodeKindName(kind)] = count;
  return json;
}

}  // namespace graphtap::report
