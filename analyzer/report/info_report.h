// InfoReport: what a run is and what is in it: processes, GPUs, versions, captures, graphs,
// executables, replays, losses.
// Pure functions of the frozen run, any thread, no failure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/model/run.h"

namespace graphtap::report {

// Tables have at most `limit` rows; 0: all.
std::string InfoText(const model::Run& run, std::size_t limit);
nlohmann::ordered_json InfoJson(const model::Run& run, std::size_t limit);

// Their first part: the run as a whole, and how it ended.
std::string RunText(const model::Run& run);
nlohmann::ordered_json RunJson(const model::Run& run);

}  // namespace graphtap::report
