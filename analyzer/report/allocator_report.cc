#include "analyzer/report/allocator_report.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

std::string ActionName(graphtap::AllocatorEvent::Action action) {
  constexpr auto kNames =
      std::to_array<const char*>({"alloc", "free_requested", "free_completed", "segment_alloc",
                                  "segment_free", "segment_map", "segment_unmap", "out_of_memory"});
  const auto number = static_cast<std::size_t>(action);
  return number < kNames.size() ? kNames[number] : absl::StrFormat("action %u", number);
}

Json CheckJson(const model::StateCheck& check) {
  Json json;
  json["label"] = check.label;
  json["moment"] = check.moment;
  json["blocks"] = check.blocks;
  json["lost_events"] = check.lost;
  json["different"] = check.different;
  json["differences"] = Json::array();
  for (const auto& difference : check.differences) {
    json["differences"].push_back(
        {{"address", absl::StrFormat("0x%x", difference.address)}, {"why", difference.why}});
  }
  return json;
}

}  // namespace

std::string AllocatorText(const model::Process& process) {
  const auto& allocator = process.allocator;
  if (allocator.events == 0 && allocator.states == 0) return "";
  const auto& checks = allocator.checks;
  const auto different = std::count_if(checks.begin(), checks.end(),
                                       [](const auto& check) { return check.different > 0; });
  const auto behind_lost =
      std::count_if(checks.begin(), checks.end(), [](const auto& check) { return check.lost > 0; });
  std::string text = Count(allocator.events, "event");
  absl::StrAppendFormat(&text, ", %s", Count(allocator.states, "state"));
  if (different == 0 && behind_lost == 0) {
    return checks.size() < 2 ? text : text + " as the events say";
  }
  if (different > 0) absl::StrAppendFormat(&text, ", %s not as the events say", Count(different));
  if (behind_lost > 0) absl::StrAppendFormat(&text, ", %s behind lost events", Count(behind_lost));
  return text;
}

Json AllocatorJson(const model::Process& process) {
  const auto& allocator = process.allocator;
  Json json;
  json["events"] = allocator.events;
  json["by_action"] = Json::object();
  for (const auto& [action, count] : allocator.by_action) {
    json["by_action"][ActionName(action)] = count;
  }
  json["states"] = allocator.states;
  json["checked"] = Json::array();
  for (const auto& check : allocator.checks) json["checked"].push_back(CheckJson(check));
  return json;
}

}  // namespace graphtap::report
