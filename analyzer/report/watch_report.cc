#include "analyzer/report/watch_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/info_report.h"
#include "analyzer/report/process_json.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

// "12 buffer_full, 3 no_slot"; "" without losses.
std::string LossesText(const model::Process& process) {
  std::string text;
  for (const auto& [cause, count] : process.losses) {
    if (count == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", Count(count), " ", LossName(cause));
  }
  return text;
}

Json LossesJson(const model::Process& process) {
  Json json = Json::object();
  for (const auto& [cause, count] : process.losses) json[LossName(cause)] = count;
  return json;
}

void AddTally(const model::Process& process, const model::Tally& tally, Json* json) {
  (*json)["replays"] = tally.replays;
  (*json)["sampled"] = tally.sampled;
  (*json)["lost_replays"] = tally.lost;
  (*json)["observations"] = tally.observations;
  (*json)["refused_sites"] = tally.refused;
  (*json)["losses"] = LossesJson(process);
}

}  // namespace

std::string WatchLine(const WatchedInterval& interval) {
  const auto& tally = interval.tally;
  std::string line = absl::StrFormat("%8s  %s  %s  %10s  %s", Duration(interval.since_start_ns),
                                     interval.process->name, interval.process->key.Text(),
                                     Rate(interval.rate), Count(tally.replays, "replay"));
  const auto add = [&](std::uint64_t count, const char* what, const char* plural) {
    if (count > 0) absl::StrAppend(&line, ", ", Count(count, what, plural));
  };
  add(tally.sampled, "sampled", "sampled");
  add(tally.lost, "not sampled", "not sampled");
  add(tally.observations, "observation", "observations");
  add(tally.refused, "site refused", "sites refused");
  const std::string losses = LossesText(*interval.process);
  return losses.empty() ? line : absl::StrCat(line, "; lost: ", losses);
}

Json WatchJson(const WatchedInterval& interval) {
  Json json;
  json["process"] = interval.process->name;
  json["key"] = interval.process->key.Text();
  json["pid"] = interval.process->run.pid();
  json["since_start_ns"] = interval.since_start_ns;
  json["replays_per_second"] = interval.rate;
  AddTally(*interval.process, interval.tally, &json);
  return json;
}

std::string WatchSummaryText(const model::GrowingRun& growing) {
  const model::Run& run = growing.run();
  std::string text = RunText(run);
  Table table(0, {"process", "key", "ended", ">replays", ">rate", ">sampled", ">not sampled",
                  ">observations", ">refused sites"});
  const auto unless_zero = [](std::uint64_t count) { return count == 0 ? "" : Count(count); };
  for (const auto& process : run.processes) {
    const auto& tally = growing.tally(*process);
    const auto rate = tally.Rate();
    table.AddRow({process->name, process->key.Text(), EndingText(process->ending),
                  Count(tally.replays), rate ? Rate(*rate) : "", unless_zero(tally.sampled),
                  unless_zero(tally.lost), unless_zero(tally.observations),
                  unless_zero(tally.refused)});
  }
  if (table.rows() > 0) absl::StrAppend(&text, "\n", table.Text());
  for (const auto& process : run.processes) {
    for (const auto& message : process->messages) {
      absl::StrAppend(&text, process->name, ": ", MessageText(message), "\n");
    }
  }
  return text;
}

Json WatchSummaryJson(const model::GrowingRun& growing) {
  const model::Run& run = growing.run();
  Json json = RunJson(run);
  json["processes"] = Json::array();
  for (const auto& process : run.processes) {
    const auto& tally = growing.tally(*process);
    const auto rate = tally.Rate();
    Json row = IdentityJson(*process);
    row["replays_per_second"] = rate ? Json(*rate) : Json();
    AddTally(*process, tally, &row);
    row["messages"] = Json::array();
    for (const auto& message : process->messages) row["messages"].push_back(MessageText(message));
    json["processes"].push_back(std::move(row));
  }
  json["damage"] = DamageJson(run);
  return json;
}

}  // namespace graphtap::report
