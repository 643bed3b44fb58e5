#include "analyzer/report/probes_report.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/element_json.h"
#include "analyzer/report/process_json.h"
#include "analyzer/report/table.h"
#include "analyzer/report/tensor_words.h"
#include "analyzer/report/units.h"
#include "analyzer/tensors/series.h"
#include "proto/arrays/array_text.h"
#include "proto/lists/skips.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNames = 3;  // of refused sites in the text

// The names of the refused sites, by reason.
using Refused = std::map<std::uint32_t, std::vector<std::string>>;

Refused RefusedOf(const model::Process& process) {
  Refused refused;
  for (const auto& [number, executable] : process.executables) {
    for (const auto& refusal : executable.refusals) {
      refused[refusal.record.reason()].push_back(
          absl::StrFormat("%s/%s[%u]", executable.key, refusal.name, refusal.invocation));
    }
  }
  return refused;
}

std::string WhyText(std::uint32_t skip) {
  for (const auto& info : kSkips) {
    if (static_cast<std::uint32_t>(info.skip) == skip) {
      return absl::StrFormat("%s: %s", info.why, info.advice);
    }
  }
  return "";
}

std::string NamesText(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNames));
  return absl::StrJoin(names.begin(), end, ", ") + (names.size() > kNames ? ", …" : "");
}

std::string RuleName(std::uint32_t index, const model::Rule& rule) {
  return rule.text.empty() ? absl::StrFormat("rule %u", index) : rule.text;
}

Table RuleTable(const model::Process& process) {
  Table table(2, {"rule", ">requested", ">planned", ">refused", ">observed", ">lost"});
  for (const auto& [index, rule] : process.rules) {
    const auto& counts = rule.counts;
    table.AddRow({RuleName(index, rule), Count(counts.requested()), Count(counts.planned()),
                  Count(counts.refused()), Count(counts.observed()), Count(counts.lost())});
  }
  return table;
}

bool HasChecks(const model::Rule& rule) {
  return rule.counts.has_passed() || rule.counts.has_failed() || rule.counts.has_impossible();
}

// "x3@100 train_step#0/forward/scale_add.arg1[3]"
std::string FailurePlace(const model::CheckFailure& failure) {
  if (failure.site == nullptr || failure.site->executable == nullptr) return "?";
  return absl::StrFormat("%s@%u %s/%s", failure.site->executable->name, failure.record.replay(),
                         failure.site->executable->key, tensors::KeyText(*failure.site));
}

arrays::Element ElementOf(const std::string& bytes) {
  arrays::Element element{};
  std::memcpy(element.data(), bytes.data(), std::min(bytes.size(), element.size()));
  return element;
}

std::string FailureText(const graphtap::CheckFailure& failure) {
  if (!failure.has_element()) {
    return absl::StrFormat("hash %s, expected %s", HashText(failure.observed_hash()),
                           HashText(failure.expected_hash()));
  }
  const Dtype dtype = DtypeOf(failure.dtype());
  std::string where = absl::StrFormat("element %u", failure.element());
  if (failure.coordinates_size() > 0) {
    absl::StrAppendFormat(&where, " (%s)", absl::StrJoin(failure.coordinates(), ", "));
  }
  return absl::StrFormat("%s is %s, expected %s; %s of %s differ", where,
                         arrays::ElementText(ElementOf(failure.observed()), dtype),
                         arrays::ElementText(ElementOf(failure.expected()), dtype),
                         Count(failure.mismatches()), Count(failure.compared(), "element"));
}

// The first failure of each rule that has checks.
Table CheckTable(const model::Process& process) {
  Table table(2, {"check", ">passed", ">failed", ">impossible", "first failure", ""});
  for (const auto& [index, rule] : process.rules) {
    if (!HasChecks(rule)) continue;
    const auto first = std::find_if(
        process.check_failures.begin(), process.check_failures.end(),
        [number = index](const auto& failure) { return failure.record.rule() == number; });
    const bool none = first == process.check_failures.end();
    table.AddRow({RuleName(index, rule), Count(rule.counts.passed()), Count(rule.counts.failed()),
                  Count(rule.counts.impossible()), none ? "" : FailurePlace(*first),
                  none ? "" : FailureText(first->record)});
  }
  return table;
}

Json CheckFailureJson(const model::CheckFailure& failure) {
  const auto& record = failure.record;
  const Dtype dtype = DtypeOf(record.dtype());
  Json json;
  json["rule"] = record.rule();
  json["place"] = FailurePlace(failure);
  json["replay"] = record.replay();
  json["dtype"] = record.has_element() ? Json(DtypeName(dtype)) : Json();
  json["element"] = record.has_element() ? Json(record.element()) : Json();
  json["coordinates"] = record.coordinates();
  const auto value = [&](const std::string& bytes) {
    return record.has_element() ? ElementJson(ElementOf(bytes), dtype) : Json();
  };
  json["expected"] = value(record.expected());
  json["observed"] = value(record.observed());
  json["mismatches"] = record.has_element() ? Json(record.mismatches()) : Json();
  json["compared"] = record.has_element() ? Json(record.compared()) : Json();
  const auto hash = [&](std::uint64_t bits) {
    return record.has_element() ? Json() : Json(HashText(bits));
  };
  json["expected_hash"] = hash(record.expected_hash());
  json["observed_hash"] = hash(record.observed_hash());
  return json;
}

Table ShadowTable(const model::Process& process) {
  Table table(2, {"shadow of", "key", ">sites", ">probes", ">overlaps lost", ">device memory",
                  ">slot", ">made in", "note"});
  for (const auto& [number, executable] : process.executables) {
    for (const auto& shadow : executable.shadows) {
      std::vector<std::string> row = {executable.name, executable.key};
      if (shadow.has_skip()) {
        row.resize(8);
        row.push_back(SkipText(shadow.skip()) +
                      (shadow.error() != 0 ? ' ' + ResultName(shadow.error()) : ""));
      } else {
        for (auto& cell : {Count(shadow.sites()), Count(shadow.probes()),
                           shadow.overlaps_lost() > 0 ? Count(shadow.overlaps_lost()) : "",
                           Bytes(shadow.device_bytes()), Bytes(shadow.slot_bytes()),
                           Duration(shadow.duration_ns())}) {
          row.push_back(cell);
        }
        if (shadow.in_place()) row.push_back("in the job's graph: every replay pays");
      }
      table.AddRow(std::move(row));
    }
  }
  return table;
}

Table RefusalTable(const model::Process& process) {
  Table table(2, {"refused", ">sites", "first", "why"});
  for (const auto& [reason, names] : RefusedOf(process)) {
    table.AddRow({SkipText(reason), Count(names.size()), NamesText(names), WhyText(reason)});
  }
  return table;
}

Json ShadowJson(const model::Executable& executable, const graphtap::Shadow& shadow) {
  Json json;
  json["executable"] = executable.name;
  json["key"] = executable.key;
  json["skip"] = shadow.has_skip() ? Json(SkipText(shadow.skip())) : Json();
  json["error"] = shadow.error() != 0 ? Json(ResultName(shadow.error())) : Json();
  json["sites"] = shadow.sites();
  json["probes"] = shadow.probes();
  json["overlaps_lost"] = shadow.overlaps_lost();
  json["device_bytes"] = shadow.device_bytes();
  json["slot_bytes"] = shadow.slot_bytes();
  json["duration_ns"] = shadow.duration_ns();
  json["time_ns"] = shadow.time_ns();
  json["in_place"] = shadow.in_place();
  return json;
}

Json RuleJson(std::uint32_t index, const model::Rule& rule) {
  Json json;
  json["index"] = index;
  json["text"] = rule.text;
  json["requested"] = rule.counts.requested();
  json["planned"] = rule.counts.planned();
  json["refused"] = rule.counts.refused();
  json["observed"] = rule.counts.observed();
  json["lost"] = rule.counts.lost();
  if (!HasChecks(rule)) return json;
  json["passed"] = rule.counts.passed();
  json["failed"] = rule.counts.failed();
  json["impossible"] = rule.counts.impossible();
  return json;
}

}  // namespace

std::string ProbesText(const model::Process& process, std::size_t limit) {
  std::string text;
  const auto add = [&](const Table& table, const char* what) {
    if (table.rows() > 0) text += '\n' + table.Text(limit, what);
  };
  add(RuleTable(process), "rules");
  add(CheckTable(process), "checks");
  add(ShadowTable(process), "shadows");
  add(RefusalTable(process), "reasons");
  return text;
}

Json ProbesJson(const model::Process& process, std::size_t limit) {
  Json json;
  json["specification"] = process.run.specification();
  json["replays"] = process.run.replays();
  json["rules"] = Json::array();
  for (const auto& [index, rule] : process.rules) json["rules"].push_back(RuleJson(index, rule));
  if (std::any_of(process.rules.begin(), process.rules.end(),
                  [](const auto& rule) { return HasChecks(rule.second); })) {
    json["check_failures"] = Json::array();
    for (const auto& failure : process.check_failures) {
      if (!Within(json["check_failures"].size(), limit)) break;
      json["check_failures"].push_back(CheckFailureJson(failure));
    }
  }
  json["shadows"] = Json::array();
  for (const auto& [number, executable] : process.executables) {
    for (const auto& shadow : executable.shadows) {
      if (!Within(json["shadows"].size(), limit)) break;
      json["shadows"].push_back(ShadowJson(executable, shadow));
    }
  }
  json["refused"] = Json::array();
  for (const auto& [reason, names] : RefusedOf(process)) {
    Json entry;
    entry["reason"] = SkipText(reason);
    entry["count"] = names.size();
    entry["sites"] = Json::array();
    for (const auto& name : names) {
      if (Within(entry["sites"].size(), limit)) entry["sites"].push_back(name);
    }
    json["refused"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace graphtap::report
