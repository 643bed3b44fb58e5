// ProcessJson: the parts that the JSON of several reports have in common. Times are nanoseconds as
// numbers, addresses and bytes hex text, names as in the text reports.
// Pure functions, any thread, no failure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "analyzer/model/process.h"

namespace graphtap::report {

// Who the process is: name, key, pid, host, program, how it ended.
nlohmann::ordered_json IdentityJson(const model::Process& process);

nlohmann::ordered_json CaptureJson(const model::Process& process, const model::Capture& capture);

// Number, key, graph, flags, replays, failed launches; not its updates.
nlohmann::ordered_json ExecutableJson(const model::Process& process,
                                      const model::Executable& executable);

// Name, key, capture and counts; not its nodes.
nlohmann::ordered_json GraphCountsJson(const model::Graph& graph);

// Whether row `index` is within `limit` (0: no limit).
inline bool Within(std::size_t index, std::size_t limit) { return limit == 0 || index < limit; }

}  // namespace graphtap::report
