#include "analyzer/report/allocator_report.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedDifferences = 10;

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
  json["different"] = check.differences.size();
  json["differences"] = Json::array();
  for (const auto& difference : check.differences) {
    if (json["differences"].size() == kListedDifferences) break;
    json["differences"].push_back(
        {{"address", absl::StrFormat("0x%x", difference.address)}, {"why", difference.why}});
  }
  return json;
}

}  // namespace

std::string AllocatorText(const model::Process& process) {
  const auto& allocator = process.allocator;
  if (allocator.events.empty() && allocator.states.empty()) return "";
  const auto checks = model::CheckStates(allocator);
  const auto different = std::count_if(
      checks.begin(), checks.end(), [](const auto& check) { return !check.differences.empty(); });
  const auto behind_lost =
      std::count_if(checks.begin(), checks.end(), [](const auto& check) { return check.lost > 0; });
  std::string text = Count(allocator.events.size(), "event");
  absl::StrAppendFormat(&text, ", %s", Count(allocator.states.size(), "state"));
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
  json["events"] = allocator.events.size();
  json["by_action"] = Json::object();
  for (const auto& event : allocator.events) {
    auto& count = json["by_action"][ActionName(event.action)];
    count = count.is_null() ? 1 : count.get<std::uint64_t>() + 1;
  }
  json["states"] = allocator.states.size();
  json["checked"] = Json::array();
  for (const auto& check : model::CheckStates(allocator))
    json["checked"].push_back(CheckJson(check));
  return json;
}

}  // namespace graphtap::report
