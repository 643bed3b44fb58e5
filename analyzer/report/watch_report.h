// WatchReport: a run that goes on, a line for each process and interval, and what there is at its
// end.
// Pure functions of what was read so far, any thread, no failure. Units: nanoseconds, replays a
// second.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analyzer/model/growing_run.h"

namespace graphtap::report {

// One process after one interval.
struct WatchedInterval {
  const model::Process* process = nullptr;
  model::Tally tally;                // since its start
  double rate = 0;                   // of replays in the interval
  std::uint64_t since_start_ns = 0;  // of the process
};

std::string WatchLine(const WatchedInterval& interval);
nlohmann::ordered_json WatchJson(const WatchedInterval& interval);

std::string WatchSummaryText(const model::GrowingRun& run);
nlohmann::ordered_json WatchSummaryJson(const model::GrowingRun& run);

}  // namespace graphtap::report
