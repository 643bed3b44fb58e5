// DamageReport: what is missing from a run: damage of the files, losses that the job counted,
// records without their definitions, files of another run. Every command prints the lines on
// stderr and has the JSON in its own.
// Pure functions, any thread, no failure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/model/run.h"

namespace graphtap::report {

// One line for each kind of thing that is missing; none for a whole run.
std::vector<std::string> DamageLines(const model::Run& run);

// The losses of one process: "12 records dropped because … (buffer_full): raise …".
std::vector<std::string> LossLines(const model::Process& process);

std::string LossName(std::uint32_t cause);  // "buffer_full", "cause 99"

nlohmann::ordered_json DamageJson(const model::Run& run);

}  // namespace graphtap::report
