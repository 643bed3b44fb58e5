// Started ranges: those that NVTX starts and ends by an id, on any threads; kept only as long as
// somebody wants to know of their end. Owner: the process. Threads: any; one lock, for nanoseconds.
// Failure: a range for which there is no room is not kept, and has the id 0. No units.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "interpose/nvtx/ranges.h"

namespace graphtap::nvtx {

// The range's id, which no other one has; 0: it is not kept.
std::uint64_t Start(std::string_view text, std::uint64_t tag) noexcept;

// nullopt: there is none of this id.
std::optional<Closed> End(std::uint64_t id) noexcept;

}  // namespace graphtap::nvtx
