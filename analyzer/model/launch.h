// Launch: what `graphtap run` noted beside the run files (launch.json).
// Owner: the Run. Threads: read-only. Failure: a file that is not of this form is a status that
// names it. Units: nanoseconds since 1970.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace graphtap::model {

struct Launch {
  std::vector<std::string> command;
  std::string run_id;
  std::optional<std::string> git_revision;
  std::uint32_t pid = 0;
  std::uint64_t start_realtime_ns = 0;
  std::optional<std::uint64_t> end_realtime_ns;  // absent: it runs, or the launcher was killed
  std::optional<int> exit_code, signal;
};

// The text of a launch.json; `path` is for the error.
absl::StatusOr<Launch> ParseLaunch(const std::string& text, const std::string& path);

// The launch.json of a run folder ("": the working folder); nullopt if there is none (recorded
// without the launcher).
absl::StatusOr<std::optional<Launch>> ReadLaunch(const std::string& folder);

}  // namespace graphtap::model
