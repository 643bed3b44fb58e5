// Launcher: `graphtap run` without its command line: prepares the run folder and the environment,
// starts the job with the preload library, stays its parent, and records how it ended.
// Owner: the caller, on one thread. Failure: an exit code and one line on `log`: 125 before
// anything was started or made, 127 command not found, 126 not executable.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace graphtap::launcher {

inline constexpr int kExitBadOptions = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;
inline constexpr int kExitSignalBase = 128;

struct LaunchOptions {
  std::vector<std::string> command;
  // Variable of environment.inc, value: what the options of the command line set.
  std::vector<std::pair<std::string, std::string>> settings;
  // Key, value: user metadata.
  std::vector<std::pair<std::string, std::string>> metadata;
  bool overwrite = false;
};

// Runs the job and returns the exit code of `graphtap run`: the job's, or 128 + n after signal n.
int Launch(const LaunchOptions& options, std::ostream& log);

}  // namespace graphtap::launcher
