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

// What a reader of a run that goes on needs of this. The files of a run folder, by name, or the one
// file that the path is.
absl::StatusOr<std::vector<std::string>> RunFiles(const std::string& path);
// The launch record for what the path names.
absl::StatusOr<std::optional<Launch>> LaunchOf(const std::string& path);
// Names the process of a file, and what its file name says if its run record is lost.
void Identify(const std::string& path, Process* process);
// What the launcher saw of the end of a process that left no end record itself.
void SetEnding(const std::optional<Launch>& launch, Process* process);

}  // namespace graphtap::model
