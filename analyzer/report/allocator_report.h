// Allocator report: what `info` says of the framework's allocator. Pure functions, any thread, no
// failure. Units: bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/model/process.h"

namespace graphtap::report {

// "1,234 events, 5 states as the events say"; "": nothing is known of an allocator.
std::string AllocatorText(const model::Process& process);

nlohmann::ordered_json AllocatorJson(const model::Process& process);

}  // namespace graphtap::report
