// Points report: the named moments at which memory was looked at, in `info` and `memory points`.
// Pure functions, any thread, no failure. Units: bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/model/run.h"

namespace graphtap::report {

// "9: 4 capture, 1 oom, 4 nvtx"; "": there is none.
std::string PointCounts(const model::Process& process);
// A row for each device of each point; "": there is none.
std::string PointTable(const model::Process& process, std::size_t limit);
// points_wanted, points_count, points.
void AddPoints(const model::Process& process, std::size_t limit, nlohmann::ordered_json* json);

// `graphtap memory points`.
std::string MemoryPointsText(const model::Run& run, std::size_t limit);
nlohmann::ordered_json MemoryPointsJson(const model::Run& run, std::size_t limit);

}  // namespace graphtap::report
