// Run: everything that a run folder says, or a single run file. Read once, then frozen.
// Owner: the command. Threads: read-only. Failure: a status of one line that names the file; damage
// inside the files is no failure but counted in each process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/launch.h"
#include "analyzer/model/process.h"

namespace graphtap::model {

// A run file in the folder that belongs to another run; it is not read into the tables.
struct ForeignFile {
  std::string file, run_id;
};

struct Run {
  std::string path;  // as the user gave it
  std::string run_id;
  std::optional<Launch> launch;
  std::vector<std::unique_ptr<const Process>> processes;  // p0, p1, …: by start
  std::vector<ForeignFile> foreign;
};

// Reads a run folder or one .gtap file.
absl::StatusOr<Run> LoadRun(const std::string& path);

}  // namespace graphtap::model
