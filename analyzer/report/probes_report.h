// ProbesReport: what became of a process's probe specification, as a part of the info report: each
// rule with its counts, each shadow or why there is none, the refused sites by reason.
// Pure functions, any thread, no failure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/model/process.h"

namespace graphtap::report {

// Tables of at most `limit` rows (0: all), each with an empty line before it; "" without probes.
std::string ProbesText(const model::Process& process, std::size_t limit);
nlohmann::ordered_json ProbesJson(const model::Process& process, std::size_t limit);

}  // namespace graphtap::report
