#include "analyzer/report/damage_report.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/report/units.h"
#include "proto/lists/losses.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

const LossInfo* FindLoss(std::uint32_t cause) {
  const auto found = std::find_if(kLosses.begin(), kLosses.end(), [&](const LossInfo& info) {
    return static_cast<std::uint32_t>(info.loss) == cause;
  });
  return found == kLosses.end() ? nullptr : &*found;
}

std::string DamageLine(const frames::Damage& damage) {
  std::string line = "damaged:";
  if (damage.places > 0) {
    absl::StrAppendFormat(&line, " %s skipped in %s,", Count(damage.bytes, "byte"),
                          Count(damage.places, "place"));
  }
  absl::StrAppendFormat(&line, " %s and %s missing", Count(damage.frames, "frame"),
                        Count(damage.messages, "message"));
  if (damage.unreadable_messages > 0) {
    absl::StrAppendFormat(&line, ", %s unreadable", Count(damage.unreadable_messages, "message"));
  }
  return line;
}

void AddFileLines(const model::Process& process, std::vector<std::string>* lines) {
  const auto& damage = process.damage;
  const auto add = [&](const std::string& what) {
    lines->push_back(absl::StrFormat("%s: %s", process.file, what));
  };
  if (damage.damaged()) add(DamageLine(damage));
  if (damage.unfinished_bytes > 0) {
    add(
        absl::StrFormat("the last frame is not complete, %s not read: the process was killed, or "
                        "is still writing",
                        Count(damage.unfinished_bytes, "byte")));
  }
  const auto unknown = damage.unknown_frames + damage.unknown_entries + damage.unknown_fields;
  if (unknown > 0) {
    add(absl::StrFormat("written by a newer graphtap: %s, %s, %s skipped",
                        Count(damage.unknown_frames, "unknown frame"),
                        Count(damage.unknown_entries, "unknown record"),
                        Count(damage.unknown_fields, "unknown field")));
  }
  if (process.run_lost) add("no run record: which program and run it belongs to is not known");
  if (process.incomplete_payloads > 0) {
    add(Count(process.incomplete_payloads, "copy of which bytes are missing",
              "copies of which bytes are missing"));
  }
  if (process.orphans > 0) {
    add(absl::StrFormat(
        "%s to a definition that is missing",
        process.orphans == 1 ? "1 record refers" : Count(process.orphans) + " records refer"));
  }
}

Json ProcessJson(const model::Process& process) {
  const auto& damage = process.damage;
  Json json;
  json["process"] = process.name;
  json["file"] = process.file;
  json["damaged_places"] = damage.places;
  json["damaged_bytes"] = damage.bytes;
  json["missing_frames"] = damage.frames;
  json["missing_messages"] = damage.messages;
  json["unreadable_messages"] = damage.unreadable_messages;
  json["unfinished_bytes"] = damage.unfinished_bytes;
  json["unknown_frames"] = damage.unknown_frames;
  json["unknown_records"] = damage.unknown_entries;
  json["unknown_fields"] = damage.unknown_fields;
  json["orphans"] = process.orphans;
  json["incomplete_copies"] = process.incomplete_payloads;
  json["losses"] = Json::array();
  for (const auto& [cause, count] : process.losses) {
    Json loss;
    loss["cause"] = LossName(cause);
    loss["count"] = count;
    json["losses"].push_back(std::move(loss));
  }
  return json;
}

}  // namespace

std::string LossName(std::uint32_t cause) {
  const auto* info = FindLoss(cause);
  return info == nullptr ? absl::StrFormat("cause %u", cause) : info->name;
}

std::vector<std::string> LossLines(const model::Process& process) {
  std::vector<std::string> lines;
  for (const auto& [cause, count] : process.losses) {
    if (count == 0) continue;
    const auto* info = FindLoss(cause);
    lines.push_back(info == nullptr ? absl::StrFormat("%s lost by cause %u of a newer graphtap",
                                                      Count(count), cause)
                                    : absl::StrFormat("%s %s (%s): %s", Count(count), info->what,
                                                      info->name, info->advice));
  }
  return lines;
}

std::vector<std::string> DamageLines(const model::Run& run) {
  std::vector<std::string> lines;
  for (const auto& process : run.processes) {
    AddFileLines(*process, &lines);
    for (const auto& line : LossLines(*process)) {
      lines.push_back(absl::StrFormat("%s: lost: %s", process->file, line));
    }
  }
  for (const auto& foreign : run.foreign) {
    lines.push_back(absl::StrFormat("%s: left out: it belongs to another run (%s)", foreign.file,
                                    foreign.run_id.empty() ? "without id" : foreign.run_id));
  }
  return lines;
}

Json DamageJson(const model::Run& run) {
  Json json;
  json["files"] = Json::array();
  for (const auto& process : run.processes) json["files"].push_back(ProcessJson(*process));
  json["other_runs"] = Json::array();
  for (const auto& foreign : run.foreign) {
    json["other_runs"].push_back({{"file", foreign.file}, {"run_id", foreign.run_id}});
  }
  return json;
}

}  // namespace graphtap::report
