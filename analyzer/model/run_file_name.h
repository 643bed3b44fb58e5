// RunFileName: what the name of a run file says: <host>.<pid>.<start time in ns, hex>.gtap.
// Pure, any thread. Failure: nullopt for a name of another form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphtap::model {

inline constexpr std::string_view kRunFileEnding = ".gtap";

struct RunFileName {
  std::string host;
  std::uint32_t pid = 0;
  std::uint64_t start_realtime_ns = 0;
};

// `name` has no folders in it.
std::optional<RunFileName> ParseRunFileName(std::string_view name);

// The same, the other way round.
std::string FormatRunFileName(const RunFileName& name);

}  // namespace graphtap::model
