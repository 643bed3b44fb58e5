// LaunchRecord: what `graphtap run` knows of a job, kept in <run>/launch.json.
// Owner: the launcher; written when the job has started (no end yet) and again when it has ended.
// Threads: none shared. Failure: false and one line in *error; the old file stays whole.
// Units: nanoseconds since 1970 (CLOCK_REALTIME), as decimal text in the file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace graphtap::launcher {

struct LaunchRecord {
  std::vector<std::string> command;
  std::string run_id;
  std::optional<std::string> git_revision;
  pid_t pid = 0;
  std::uint64_t start_realtime_ns = 0;
  // Not set while the job runs.
  std::optional<std::uint64_t> end_realtime_ns;
  std::optional<int> exit_code;
  std::optional<int> signal;
};

// Nanoseconds since 1970.
std::uint64_t RealtimeNow();

// Replaces the file as a whole.
bool WriteLaunchRecord(const LaunchRecord& record, const std::filesystem::path& path,
                       std::string* error);

}  // namespace graphtap::launcher
