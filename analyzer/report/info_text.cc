#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_format.h"
#include "analyzer/model/graph_summary.h"
#include "analyzer/report/allocator_report.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/info_report.h"
#include "analyzer/report/points_report.h"
#include "analyzer/report/probes_report.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

void AddIf(const std::string& name, const std::string& value, Table* table) {
  if (!value.empty()) table->AddRow({name, value});
}

std::string LaunchEnding(const model::Launch& launch) {
  if (!launch.end_realtime_ns) return EndingText({.how = model::Ending::How::kRunning});
  model::Ending ending;
  if (launch.signal) {
    ending = {.how = model::Ending::How::kSignaled, .code = *launch.signal};
  } else if (launch.exit_code) {
    ending = {.how = model::Ending::How::kExited, .code = *launch.exit_code};
  }
  return absl::StrFormat("%s after %s", EndingText(ending),
                         Duration(*launch.end_realtime_ns - launch.start_realtime_ns));
}

}  // namespace

std::string RunText(const model::Run& run) {
  Table table(0, {"", ""});
  table.AddRow({"run", run.path});
  AddIf("run id", run.run_id, &table);
  if (run.launch) {
    table.AddRow({"command", CommandText(run.launch->command)});
    AddIf("git revision", run.launch->git_revision.value_or(""), &table);
    table.AddRow({"ended", LaunchEnding(*run.launch)});
  }
  table.AddRow(
      {"processes", run.processes.empty() ? "none used CUDA" : Count(run.processes.size())});
  return table.Text();
}

namespace {

std::string Versions(const graphtap::Run& run) {
  std::string text;
  if (!run.graphtap_version().empty()) text = "graphtap " + run.graphtap_version();
  if (run.has_driver_version()) {
    absl::StrAppendFormat(&text, "%sdriver %s", text.empty() ? "" : ", ",
                          DriverVersionName(run.driver_version()));
  }
  return text;
}

std::string Rank(const graphtap::Run& run) {
  if (!run.has_rank()) return "";
  std::string text = absl::StrFormat("%u", run.rank());
  if (run.has_world_size()) absl::StrAppendFormat(&text, " of %u", run.world_size());
  return run.rank_variable().empty() ? text : text + " (" + run.rank_variable() + ")";
}

std::string Ended(const model::Process& process) {
  const auto lifetime = LifetimeNs(process);
  std::string text = EndingText(process.ending);
  return lifetime ? absl::StrFormat("%s after %s", text, Duration(*lifetime)) : text;
}

// One value a row, the name only in the first.
template <typename Values, typename ToText>
void AddList(const std::string& name, const Values& values, const ToText& to_text, Table* table) {
  bool first = true;
  for (const auto& value : values) {
    table->AddRow({first ? name : "", to_text(value)});
    first = false;
  }
}

void AddIdentity(const model::Process& process, Table* table) {
  const auto& run = process.run;
  const auto pair = [](const KeyValue& value) { return value.key() + "=" + value.value(); };
  const auto text = [](const std::string& value) { return value; };
  table->AddRow({"started", Utc(run.start_realtime_ns())});
  table->AddRow({"ended", Ended(process)});
  AddIf("command", CommandText({run.arguments().begin(), run.arguments().end()}), table);
  AddIf("in", run.working_directory(), table);
  AddIf("name", run.name(), table);
  AddIf("group", run.group_id(), table);
  AddIf("rank", Rank(run), table);
  AddIf("versions", Versions(run), table);
  for (const auto& gpu : run.gpus()) {
    table->AddRow({absl::StrFormat("GPU %u", gpu.ordinal()), GpuText(gpu)});
  }
  AddList("libraries", run.libraries(), text, table);
  AddList("other tools", run.other_tools(), text, table);
  AddList("metadata", run.metadata(), pair, table);
  AddList("environment", run.environment(), pair, table);
}

std::string CaptureCounts(const model::Process& process) {
  std::uint64_t graph = 0, failed = 0, open = 0;
  for (const auto& [number, capture] : process.captures) {
    const auto outcome = capture.record.outcome();
    graph += outcome == graphtap::Capture::OUTCOME_GRAPH;
    failed += outcome == graphtap::Capture::OUTCOME_FAILED;
    open += outcome == graphtap::Capture::OUTCOME_OPEN;
  }
  std::string text = Count(process.captures.size());
  if (process.captures.empty()) return text;
  absl::StrAppendFormat(&text, ": %s gave a graph", Count(graph));
  if (failed > 0) absl::StrAppendFormat(&text, ", %s failed", Count(failed));
  if (open > 0) absl::StrAppendFormat(&text, ", %s without an end", Count(open));
  return text;
}

std::string GraphCounts(const model::Process& process) {
  std::set<std::uint32_t> numbers;
  std::uint64_t nodes = 0;
  for (const auto& [id, graph] : process.graphs) {
    if (!graph.lost) numbers.insert(graph.record.number());
    nodes += graph.nodes.size();
  }
  if (numbers.empty()) return "0";
  return absl::StrFormat("%s in %s, with %s", Count(numbers.size()),
                         Count(process.graphs.size(), "version"), Count(nodes, "node"));
}

std::string ExecutableCounts(const model::Process& process) {
  std::uint64_t updates = 0;
  for (const auto& [number, executable] : process.executables) {
    for (const auto& update : executable.updates) updates += !update.destroyed();
  }
  std::string text = Count(process.executables.size());
  if (updates > 0) absl::StrAppendFormat(&text, ", changed %s", Count(updates, "time"));
  if (!process.failed_instantiations.empty()) {
    absl::StrAppendFormat(&text, ", %s failed",
                          Count(process.failed_instantiations.size(), "instantiation"));
  }
  return text;
}

std::string ReplayCounts(const model::Process& process) {
  std::uint64_t replays = 0, failed = 0, missing = 0;
  for (const auto& [number, executable] : process.executables) {
    replays += executable.replay_count();
    failed += executable.failures.size();
    missing += executable.missing_replays();
  }
  std::string text = Count(replays);
  if (failed > 0)
    absl::StrAppendFormat(&text, ", %s failed", Count(failed, "more launch", "more launches"));
  if (missing > 0) absl::StrAppendFormat(&text, ", %s not known", Count(missing, "more"));
  return text;
}

// Which replays are to be observed, and what became of them.
std::string DueCounts(const model::Process& process) {
  std::uint64_t sampled = 0, lost = 0;
  for (const auto& [number, executable] : process.executables) {
    for (const auto& replay : executable.due) ++(replay.has_lost() ? lost : sampled);
  }
  std::string text = absl::StrFormat("%s: %s sampled", process.run.replays(), Count(sampled));
  return lost > 0 ? absl::StrFormat("%s, %s lost", text, Count(lost)) : text;
}

void AddCounts(const model::Process& process, Table* table) {
  const auto text = [](const std::string& value) { return value; };
  table->AddRow({"captures", CaptureCounts(process)});
  table->AddRow({"graphs", GraphCounts(process)});
  table->AddRow({"executables", ExecutableCounts(process)});
  table->AddRow({"replays", ReplayCounts(process)});
  AddIf("probes", process.run.specification(), table);
  if (!process.run.specification().empty()) table->AddRow({"due", DueCounts(process)});
  table->AddRow({"streams", Count(process.streams.size())});
  table->AddRow({"threads", Count(process.threads.size())});
  AddIf("allocator", AllocatorText(process), table);
  AddIf("points", PointCounts(process), table);
  AddList("messages", process.messages, MessageText, table);
  const auto losses = LossLines(process);
  if (losses.empty()) table->AddRow({"losses", "none"});
  AddList("losses", losses, text, table);
}

std::string CaptureTable(const model::Process& process, std::size_t limit) {
  Table table(
      2, {"capture", "key", "outcome", ">nodes", "mode", "stream", "joined", "thread", ">time"});
  for (const auto& [number, capture] : process.captures) {
    const auto& record = capture.record;
    const bool timed = record.has_end_ns() && record.end_ns() >= record.begin_ns();
    table.AddRow({absl::StrFormat("c%u", number), capture.key, CaptureOutcome(capture),
                  record.has_node_count() ? Count(record.node_count()) : "",
                  CaptureModeName(record.mode()), StreamName(process, record.stream()),
                  record.joined_count() > 0 ? Count(record.joined_count()) : "",
                  ThreadName(process, record.thread()),
                  timed ? Duration(record.end_ns() - record.begin_ns()) : ""});
  }
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "captures");
}

std::string GraphTable(const model::Process& process, std::size_t limit) {
  Table table(2, {"graph", "key", "capture", ">nodes", ">kernels", ">edges", "executables"});
  for (const auto& [id, graph] : process.graphs) {
    const auto summary = model::Summarize(graph);
    std::string executables;
    for (const auto& [number, executable] : process.executables) {
      if (executable.graph != &graph) continue;
      executables += (executables.empty() ? "" : ", ") + executable.name;
    }
    const auto kernels = summary.kinds.find(0);
    std::string capture = graph.record.eager() ? "eager" : "";
    if (graph.record.has_capture()) capture = absl::StrFormat("c%u", graph.record.capture());
    table.AddRow({graph.name, graph.key, capture, Count(graph.nodes.size()),
                  Count(kernels == summary.kinds.end() ? 0 : kernels->second), Count(summary.edges),
                  executables});
  }
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "graphs");
}

std::string ExecutableTable(const model::Process& process, std::size_t limit) {
  Table table(2, {"executable", "key", "graph", ">replays", ">rate", "streams", ">changes",
                  ">failed launches"});
  for (const auto& [number, executable] : process.executables) {
    const auto rate = executable.rate();
    const auto changes = static_cast<std::uint64_t>(
        std::count_if(executable.updates.begin(), executable.updates.end(),
                      [](const auto& update) { return !update.destroyed(); }));
    table.AddRow({executable.name, executable.key,
                  executable.graph == nullptr ? "?" : executable.graph->name,
                  ReplayCountText(executable), rate ? Rate(*rate) : "",
                  StreamNames(process, executable.streams), changes > 0 ? Count(changes) : "",
                  executable.failures.empty() ? "" : Count(executable.failures.size())});
  }
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "executables");
}

}  // namespace

std::string InfoText(const model::Run& run, std::size_t limit) {
  std::string text = RunText(run);
  for (const auto& process : run.processes) {
    text += '\n' + ProcessTitle(*process) + '\n';
    Table table(2, {"", ""});
    AddIdentity(*process, &table);
    AddCounts(*process, &table);
    text += table.Text();
    text += CaptureTable(*process, limit);
    text += GraphTable(*process, limit);
    text += ExecutableTable(*process, limit);
    text += ProbesText(*process, limit);
    const std::string points = PointTable(*process, limit);
    if (!points.empty()) text += '\n' + points;
  }
  return text;
}

}  // namespace graphtap::report
