// Messages that contradict each other, name what is not there, hold any number: the tables are
// built of them, and each report is made. First byte: which report. Then messages as a frame has
// them, each behind its length; an empty one ends the run that is the reference of a comparison.
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include "analyzer/model/graph_selection.h"
#include "analyzer/model/run.h"
#include "analyzer/report/compare_report.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/dump_text.h"
#include "analyzer/report/graphs_report.h"
#include "analyzer/report/info_report.h"
#include "analyzer/report/tensors_report.h"
#include "analyzer/tensors/compare_runs.h"
#include "proto/arrays/closeness.h"
#include "tests/fuzz/delimited.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/target.h"

namespace graphtap::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using Messages = std::vector<std::string_view>;

void Print(const Json& json) { json.dump(2, ' ', false, Json::error_handler_t::replace); }

void ShowTensors(const model::Run& run, std::uint8_t choice) {
  const report::ShowOptions options = {
      .pattern = (choice & 1) != 0 ? "*" : "",
      .replay = {},
      .as = (choice & 2) != 0 ? std::optional(Dtype::kFloat32) : std::nullopt,
      .shape = {},
      .limit = 0};
  if ((choice & 4) != 0) {
    Json json;
    if (report::ShowJson(run, options, &json).ok()) Print(json);
  } else {
    std::ostringstream out;
    report::ShowText(run, options, out).IgnoreError();
  }
}

void Graphs(const model::Run& run, std::uint8_t choice) {
  const auto graphs = model::FindGraphs(run, {});
  if (!graphs.ok()) return;
  const report::GraphsOptions options = {.limit = 0, .nodes = (choice & 1) != 0};
  if ((choice & 2) != 0) {
    report::GraphsDot(*graphs, options);
  } else if ((choice & 4) != 0) {
    Print(report::GraphsJson(run, *graphs, options));
  } else {
    report::GraphsText(*graphs, options);
  }
}

void List(const model::Run& run, std::uint8_t choice) {
  if ((choice & 1) != 0) {
    Print(report::TensorsListJson(run, 0));
  } else {
    report::TensorsListText(run, 0);
  }
}

void Info(const model::Run& run, std::uint8_t choice) {
  if ((choice & 1) != 0) {
    Print(report::InfoJson(run, 0));
  } else {
    report::InfoText(run, 0);
  }
}

void Dump(const model::Run& run, const Messages& messages) {
  const report::DumpPrinter printer(*run.processes.at(0));
  for (const auto message : messages) {
    Entry entry;
    if (entry.ParseFromArray(message.data(), static_cast<int>(message.size()))) printer.Text(entry);
  }
}

void Compare(const model::Run& reference, const model::Run& candidate, std::uint8_t choice) {
  tensors::CompareOptions options;
  options.pairing.by = std::array{tensors::PairBy::kReplay, tensors::PairBy::kNth,
                                  tensors::PairBy::kLabel}[choice % 3];
  if ((choice & 4) != 0) options.tolerance.mode = arrays::Mode::kAllclose;
  const auto result = tensors::CompareRuns(reference, candidate, options);
  if (!result.ok()) return;
  const report::CompareInput input = {reference, candidate, options, *result};
  if ((choice & 8) != 0) {
    Print(report::CompareJson(input, {}));
  } else {
    report::CompareText(input, {});
  }
}

absl::StatusOr<model::Run> Load(const Messages& messages, MemoryFile* file) {
  file->Write(RunFileOf(messages));
  return model::LoadRun(file->path());
}

void CheckRun(Feed feed) {
  static MemoryFile reference_file("reference"), candidate_file("candidate");
  const std::uint8_t choice = feed.Byte();
  const auto messages = SplitDelimited(feed.Rest());
  const auto split = std::find(messages.begin(), messages.end(), std::string_view());
  const Messages first(messages.begin(), split);
  const auto run = Load(first, &reference_file);
  if (!run.ok()) return;
  report::DamageLines(*run);
  const auto detail = static_cast<std::uint8_t>(choice >> 3);
  switch (choice % 8) {
    case 0:
      return Info(*run, detail);
    case 1:
      return Graphs(*run, detail);
    case 2:
      return List(*run, detail);
    case 3:
      return ShowTensors(*run, detail);
    case 4:
      return Dump(*run, first);
    case 5:
      report::StableDump(*run, 0);
      return;
    default:
      break;
  }
  const auto candidate = Load({split, messages.end()}, &candidate_file);
  if (candidate.ok()) Compare(*run, *candidate, detail);
}

}  // namespace
}  // namespace graphtap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphtap::fuzz::CheckRun(graphtap::fuzz::Feed(graphtap::fuzz::Input(data, size)));
  return 0;
}
