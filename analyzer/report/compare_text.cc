#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/report/compare_report.h"
#include "analyzer/report/node_text.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/table.h"
#include "analyzer/report/tensor_words.h"
#include "analyzer/report/units.h"
#include "analyzer/tensors/series.h"
#include "proto/arrays/array_text.h"
#include "proto/arrays/decimal.h"

namespace graphtap::report {
namespace {

using tensors::Comparison;
using tensors::Presence;
using tensors::Status;

std::string StatusText(const Comparison& item) {
  return std::string(StatusName(item.status)) + (item.unconfirmed ? " (unconfirmed)" : "");
}

const model::Site& SiteOf(const Comparison& item) {
  return item.reference != nullptr ? *item.reference->site : *item.candidate->site;
}

std::string ErrorText(const std::variant<std::monostate, std::uint64_t, double>& error) {
  if (const auto* integer = std::get_if<std::uint64_t>(&error))
    return absl::StrFormat("%u", *integer);
  const auto* real = std::get_if<double>(&error);
  return real == nullptr ? "" : arrays::FloatText(*real, arrays::FloatKind::kFloat64);
}

std::string OptionalText(const std::optional<double>& value) {
  return value ? arrays::FloatText(*value, arrays::FloatKind::kFloat64) : "not finite";
}

std::string MismatchesText(const Comparison& item) {
  if (item.metrics && item.metrics->mismatches > 0) {
    return absl::StrFormat("%s of %s", Count(item.metrics->mismatches),
                           Count(item.metrics->compared));
  }
  if (item.mismatches && *item.mismatches > 0 && item.total) {
    return absl::StrFormat("%s of %s", Count(*item.mismatches), Count(*item.total));
  }
  return "";
}

std::string ReplayText(const tensors::ExecutableComparison& executable,
                       const tensors::ReplayPair& pair) {
  const std::string reference =
      absl::StrFormat("%s@%u", executable.pair.reference->name, pair.reference);
  const std::string candidate =
      absl::StrFormat("%s@%u", executable.pair.candidate->name, pair.candidate);
  return reference == candidate ? reference : reference + " with " + candidate;
}

std::string Head(const CompareInput& input) {
  const auto& tolerance = input.options.tolerance;
  const auto& result = input.result;
  const auto number = [](double value) {
    return arrays::FloatText(value, arrays::FloatKind::kFloat64);
  };
  Table table(0, {"", ""});
  table.AddRow({"reference", input.reference.path});
  table.AddRow({"candidate", input.candidate.path});
  std::string mode = "exact";
  if (tolerance.mode == arrays::Mode::kAllclose) {
    mode = absl::StrFormat("allclose, rtol %s, atol %s", number(tolerance.rtol),
                           number(tolerance.atol));
  }
  table.AddRow({"mode", tolerance.equal_nan ? mode + ", NaN equals NaN" : mode});
  table.AddRow({"observations",
                absl::StrFormat("%s matched, %s mismatched, %s inconclusive", Count(result.matched),
                                Count(result.mismatched), Count(result.inconclusive))});
  table.AddRow({"status", StatusName(result.status)});
  std::string text = table.Text();
  for (const auto& warning : result.warnings) text += "warning: " + warning + '\n';
  return text;
}

void AddMetrics(const Comparison& item, Table* table) {
  const std::string mismatches = MismatchesText(item);
  if (!mismatches.empty()) table->AddRow({"mismatches", mismatches + " elements"});
  if (!item.metrics || !item.metrics->first_mismatch) return;
  const auto& metrics = *item.metrics;
  const auto& place = *metrics.first_mismatch;
  table->AddRow({"first", absl::StrFormat("element %u: %s, then %s", place.index,
                                          arrays::ElementText(place.reference, item.dtype),
                                          arrays::ElementText(place.candidate, item.dtype))});
  const std::string most = ErrorText(metrics.max_absolute_error);
  table->AddRow({"errors", absl::StrFormat("max abs %s, max relative %s, mean abs %s",
                                           most.empty() ? "not finite" : most,
                                           OptionalText(metrics.max_relative_error),
                                           OptionalText(metrics.mean_absolute_error))});
}

void AddHashes(const Comparison& item, Table* table) {
  const auto text = [](const model::Observation* observation) {
    return observation == nullptr || !observation->hash ? std::string("none")
                                                        : HashText(*observation->hash);
  };
  table->AddRow({"hash", text(item.reference) + ", then " + text(item.candidate)});
  const auto statistics = [&](const char* name, const model::Observation* observation) {
    if (observation == nullptr || observation->statistics == nullptr) return;
    table->AddRow({name, StatisticsText(*observation->statistics)});
  };
  statistics("reference", item.reference);
  statistics("candidate", item.candidate);
}

// What may have come before the first mismatch.
std::string BeforeText(const tensors::FirstDifference& before) {
  const Comparison& item = *before.observation;
  return absl::StrFormat("%s  %s  %s: %s", ReplayText(*before.executable, before.replay->pair),
                         NodePath(SiteOf(item)), tensors::KeyText(SiteOf(item)), item.reason);
}

std::string FirstText(const tensors::FirstDifference& first,
                      const std::optional<tensors::FirstDifference>& before) {
  const Comparison& item = *first.observation;
  const auto& site = SiteOf(item);
  Table table(2, {"", ""});
  table.AddRow({"process", ProcessTitle(*first.process->pair.reference)});
  table.AddRow({"replay", ReplayText(*first.executable, first.replay->pair)});
  std::string node = NodePath(site);
  if (site.node != nullptr) node += "  " + ActionText(*site.node);
  table.AddRow({"node", node});
  if (site.node != nullptr && !site.node->scope.empty()) {
    table.AddRow({"scope", site.node->scope});
  }
  table.AddRow({"site", site.executable->key + '/' + tensors::KeyText(site)});
  table.AddRow({"extent", ExtentText(site)});
  if (item.dtype != Dtype::kUnknown) table.AddRow({"type", std::string(DtypeName(item.dtype))});
  table.AddRow({"status", StatusText(item)});
  table.AddRow({"why", item.reason});
  AddHashes(item, &table);
  AddMetrics(item, &table);
  if (before) table.AddRow({"before it", BeforeText(*before)});
  return "\nfirst difference\n" + table.Text();
}

void AddStructure(const tensors::NodePairing& structure, const tensors::ExecutablePair& pair,
                  Table* table) {
  const auto add = [&](const char* what, const std::string& executable, const model::Node& node) {
    table->AddRow({what, executable + '/' + node.path,
                   absl::StrFormat("%s[%u]", node.name, node.invocation), ActionText(node)});
  };
  for (const auto* node : structure.removed) add("removed", pair.reference->name, *node);
  for (const auto* node : structure.inserted) add("inserted", pair.candidate->name, *node);
}

// Replays of which nothing could be compared though they were observed or due on one side.
void AddReplay(const tensors::ExecutableComparison& executable,
               const tensors::ReplayComparison& replay, Table* table) {
  const auto& pair = replay.pair;
  if (replay.status == Status::kMatch || !replay.observations.empty()) return;
  table->AddRow({ReplayText(executable, pair), PresenceName(pair.in_reference),
                 PresenceName(pair.in_candidate), pair.lost_cause ? LossText(*pair.lost_cause) : "",
                 StatusName(replay.status)});
}

struct ProcessTables {
  Table executables{2,
                    {"executable", "graph key", "with", ">replays", ">not sampled", ">lost",
                     ">reference only", ">candidate only", "status"}};
  Table structure{2, {"nodes", "node", "name", "what"}};
  Table replays{2, {"replay", "reference", "candidate", "cause", "status"}};
  Table observations{
      2, {"replay", "site", "node", "status", "kind", "mismatches", ">max abs error", "why"}};
};

void AddObservations(const tensors::ExecutableComparison& executable, bool changed, Table* table) {
  for (const auto& replay : executable.replays) {
    for (const auto& item : replay.observations) {
      if ((item.status != Status::kMatch) != changed) continue;
      const auto& site = SiteOf(item);
      table->AddRow({ReplayText(executable, replay.pair), tensors::KeyText(site), NodePath(site),
                     StatusText(item), KindName(item.kind), MismatchesText(item),
                     item.metrics && item.status != Status::kMatch
                         ? ErrorText(item.metrics->max_absolute_error)
                         : "",
                     item.reason});
    }
  }
}

void AddExecutable(const tensors::ExecutableComparison& executable, ProcessTables* tables) {
  const auto count = [](std::uint64_t number) { return number > 0 ? Count(number) : ""; };
  const auto& pair = executable.pair;
  tables->executables.AddRow({pair.reference->name, pair.reference->key,
                              pair.candidate->key == pair.reference->key
                                  ? pair.candidate->name
                                  : pair.candidate->name + ' ' + pair.candidate->key,
                              Count(executable.compared), count(executable.not_sampled),
                              count(executable.lost), count(executable.reference_only),
                              count(executable.candidate_only), StatusName(executable.status)});
  for (const auto& structure : executable.structures) {
    AddStructure(structure, pair, &tables->structure);
  }
  for (const auto& replay : executable.replays) AddReplay(executable, replay, &tables->replays);
}

std::string ProcessText(const tensors::ProcessComparison& process,
                        const CompareReportOptions& options) {
  ProcessTables tables;
  for (const auto& executable : process.executables) AddExecutable(executable, &tables);
  for (const auto* alone : process.pair.reference_only) {
    tables.executables.AddRow({alone->name, alone->key, "", "", "", "", "", "", "reference only"});
  }
  for (const auto* alone : process.pair.candidate_only) {
    tables.executables.AddRow({"", alone->key, alone->name, "", "", "", "", "", "candidate only"});
  }
  for (const bool changed : {true, false}) {
    if (!changed && options.only_changed) break;
    for (const auto& executable : process.executables) {
      AddObservations(executable, changed, &tables.observations);
    }
  }
  std::string text = absl::StrFormat(
      "\n%s %s with %s %s\n\n", process.pair.reference->name, process.pair.reference->key.Text(),
      process.pair.candidate->name, process.pair.candidate->key.Text());
  text += tables.executables.Text(options.limit, "executables");
  const auto add = [&](const Table& table, const char* what) {
    if (table.rows() > 0) text += '\n' + table.Text(options.limit, what);
  };
  add(tables.structure, "nodes");
  add(tables.replays, "replays");
  add(tables.observations, "observations");
  return text;
}

}  // namespace

std::string CompareText(const CompareInput& input, const CompareReportOptions& options) {
  std::string text = Head(input);
  if (input.result.first) text += FirstText(*input.result.first, input.result.before_first);
  for (const auto& process : input.result.processes) text += ProcessText(process, options);
  for (const auto* alone : input.result.pairing.reference_only) {
    text += absl::StrFormat("\n%s %s: only in the reference\n", alone->name, alone->key.Text());
  }
  for (const auto* alone : input.result.pairing.candidate_only) {
    text += absl::StrFormat("\n%s %s: only in the candidate\n", alone->name, alone->key.Text());
  }
  return text;
}

const char* StatusName(Status status) {
  static constexpr const char* kNames[] = {"match", "inconclusive", "mismatch"};
  return kNames[static_cast<std::size_t>(status)];
}

const char* KindName(tensors::Kind kind) {
  static constexpr const char* kNames[] = {"match",          "value",          "metadata",
                                           "reference_only", "candidate_only", "payload"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* PresenceName(Presence presence) {
  static constexpr const char* kNames[] = {"observed", "lost", "not_sampled", "not_replayed"};
  return kNames[static_cast<std::size_t>(presence)];
}

}  // namespace graphtap::report
