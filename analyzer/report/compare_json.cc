#include "absl/strings/str_format.h"
#include "analyzer/report/compare_report.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/element_json.h"
#include "analyzer/report/process_json.h"
#include "analyzer/report/tensor_words.h"
#include "analyzer/tensors/series.h"
#include "proto/arrays/array_text.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;
using tensors::Comparison;
using tensors::Status;

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json ErrorJson(const std::variant<std::monostate, std::uint64_t, double>& error) {
  if (const auto* integer = std::get_if<std::uint64_t>(&error)) return *integer;
  const auto* real = std::get_if<double>(&error);
  return real == nullptr ? Json() : Json(*real);
}

void AddMetrics(const Comparison& item, Json* json) {
  const bool known = item.metrics.has_value();
  const auto& place = known ? item.metrics->first_mismatch : std::nullopt;
  (*json)["mismatch_count"] = OrNull(item.mismatches);
  (*json)["total_count"] = OrNull(item.total);
  (*json)["compared_count"] = known ? Json(item.metrics->compared) : Json();
  (*json)["compared_mismatch_count"] = known ? Json(item.metrics->mismatches) : Json();
  const bool counted = item.mismatches && item.total;
  (*json)["mismatch_fraction"] =
      !counted
          ? Json()
          : Json(*item.total == 0
                     ? 0.0
                     : static_cast<double>(*item.mismatches) / static_cast<double>(*item.total));
  const bool identical = item.status == Status::kMatch && !known && item.mismatches == 0;
  (*json)["max_abs_error"] = identical ? Json(0.0)
                             : known   ? ErrorJson(item.metrics->max_absolute_error)
                                       : Json();
  (*json)["max_relative_error"] = identical ? Json(0.0)
                                  : known   ? OrNull(item.metrics->max_relative_error)
                                            : Json();
  (*json)["mean_abs_error"] = identical ? Json(0.0)
                              : known   ? OrNull(item.metrics->mean_absolute_error)
                                        : Json();
  (*json)["first_mismatch_index"] = place ? Json(place->index) : Json();
  (*json)["reference_value"] = place ? ElementJson(place->reference, item.dtype) : Json();
  (*json)["candidate_value"] = place ? ElementJson(place->candidate, item.dtype) : Json();
}

Json SideJson(const model::Observation* observation) {
  if (observation == nullptr) return Json();
  Json json = SiteJson(*observation->site);
  json["hash"] = observation->hash ? Json(HashText(*observation->hash)) : Json();
  json["statistics"] =
      observation->statistics == nullptr ? Json() : StatisticsJson(*observation->statistics);
  json["copied_bytes"] = observation->payload ? Json(observation->payload_bytes) : Json();
  json["copy_complete"] = observation->payload ? Json(observation->payload_complete) : Json();
  return json;
}

Json ItemJson(const Comparison& item) {
  const auto& site = item.reference != nullptr ? *item.reference->site : *item.candidate->site;
  Json json;
  json["name"] = site.name;
  json["invocation"] = site.invocation;
  json["status"] = StatusName(item.status);
  json["kind"] = KindName(item.kind);
  json["unconfirmed"] = item.unconfirmed;
  json["reason"] = item.reason;
  AddMetrics(item, &json);
  json["reference"] = SideJson(item.reference);
  json["candidate"] = SideJson(item.candidate);
  return json;
}

Json PairJson(const tensors::ReplayPair& pair) {
  Json json;
  json["reference_replay"] = pair.reference == 0 ? Json() : Json(pair.reference);
  json["candidate_replay"] = pair.candidate == 0 ? Json() : Json(pair.candidate);
  json["in_reference"] = PresenceName(pair.in_reference);
  json["in_candidate"] = PresenceName(pair.in_candidate);
  json["lost_cause"] = pair.lost_cause ? Json(LossText(*pair.lost_cause)) : Json();
  return json;
}

Json NodesJson(const std::vector<const model::Node*>& nodes) {
  Json json = Json::array();
  for (const auto* node : nodes) {
    json.push_back({{"node", node->path}, {"name", node->name}, {"invocation", node->invocation}});
  }
  return json;
}

Json ReplaysJson(const tensors::ExecutableComparison& executable,
                 const CompareReportOptions& options) {
  Json json = Json::array();
  for (const auto& replay : executable.replays) {
    if (options.only_changed && replay.status == Status::kMatch) continue;
    if (!Within(json.size(), options.limit)) break;
    Json entry = PairJson(replay.pair);
    entry["status"] = StatusName(replay.status);
    entry["observations"] = Json::array();
    for (const auto& item : replay.observations) {
      if (options.only_changed && item.status == Status::kMatch) continue;
      if (!Within(entry["observations"].size(), options.limit)) break;
      entry["observations"].push_back(ItemJson(item));
    }
    json.push_back(std::move(entry));
  }
  return json;
}

Json ExecutableJson(const tensors::ExecutableComparison& executable,
                    const CompareReportOptions& options) {
  Json json;
  json["reference"] = executable.pair.reference->name;
  json["candidate"] = executable.pair.candidate->name;
  json["reference_key"] = executable.pair.reference->key;
  json["candidate_key"] = executable.pair.candidate->key;
  json["status"] = StatusName(executable.status);
  json["replays_compared"] = executable.compared;
  json["replays_not_sampled"] = executable.not_sampled;
  json["replays_lost"] = executable.lost;
  json["replays_reference_only"] = executable.reference_only;
  json["replays_candidate_only"] = executable.candidate_only;
  json["structures"] = Json::array();
  for (const auto& structure : executable.structures) {
    json["structures"].push_back({{"removed", NodesJson(structure.removed)},
                                  {"inserted", NodesJson(structure.inserted)},
                                  {"moved", structure.moved}});
  }
  json["replays"] = ReplaysJson(executable, options);
  return json;
}

template <typename Items>
Json NamesJson(const Items& items) {
  Json json = Json::array();
  for (const auto* item : items) json.push_back(item->name);
  return json;
}

Json ProcessPairJson(const tensors::ProcessComparison& process,
                     const CompareReportOptions& options) {
  Json json;
  json["reference"] = process.pair.reference->name;
  json["candidate"] = process.pair.candidate->name;
  json["key"] = process.pair.reference->key.Text();
  json["status"] = StatusName(process.status);
  json["reference_only_executables"] = NamesJson(process.pair.reference_only);
  json["candidate_only_executables"] = NamesJson(process.pair.candidate_only);
  json["executables"] = Json::array();
  for (const auto& executable : process.executables) {
    json["executables"].push_back(ExecutableJson(executable, options));
  }
  return json;
}

Json FirstJson(const tensors::FirstDifference& first) {
  Json json;
  json["process"] = first.process->pair.reference->name;
  json["executable"] = first.executable->pair.reference->name;
  json.update(PairJson(first.replay->pair));
  json.update(ItemJson(*first.observation));
  return json;
}

Json OptionsJson(const tensors::CompareOptions& options) {
  static constexpr const char* kPairings[] = {"replay", "nth", "label"};
  Json json;
  json["mode"] = options.tolerance.mode == arrays::Mode::kExact ? "exact" : "allclose";
  json["rtol"] = options.tolerance.rtol;
  json["atol"] = options.tolerance.atol;
  json["equal_nan"] = options.tolerance.equal_nan;
  json["pair"] = kPairings[static_cast<std::size_t>(options.pairing.by)];
  json["map"] = options.pairing.map;
  return json;
}

}  // namespace

Json CompareJson(const CompareInput& input, const CompareReportOptions& options) {
  const auto& result = input.result;
  Json json;
  json["reference"] = input.reference.path;
  json["candidate"] = input.candidate.path;
  json["options"] = OptionsJson(input.options);
  json["status"] = StatusName(result.status);
  json["conclusive"] = result.status != Status::kInconclusive;
  json["matched"] = result.matched;
  json["mismatched"] = result.mismatched;
  json["inconclusive"] = result.inconclusive;
  json["first_difference"] = result.first ? FirstJson(*result.first) : Json();
  json["before_first_difference"] = result.before_first ? FirstJson(*result.before_first) : Json();
  json["warnings"] = result.warnings;
  json["reference_only_processes"] = NamesJson(result.pairing.reference_only);
  json["candidate_only_processes"] = NamesJson(result.pairing.candidate_only);
  json["processes"] = Json::array();
  for (const auto& process : result.processes) {
    json["processes"].push_back(ProcessPairJson(process, options));
  }
  json["damage"] = {{"reference", DamageJson(input.reference)},
                    {"candidate", DamageJson(input.candidate)}};
  return json;
}

}  // namespace graphtap::report
