// GrowingRun: what a run that goes on says so far, in counts, so that memory does not grow with it.
// Each Read() takes in what was written since the last one. Owner: the command. Threads: one.
// Failure: a status of one line that names the file; damage inside the files is counted. Units:
// counts, nanoseconds of the job's CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/model/run.h"
#include "analyzer/reader/entry_reader.h"

namespace graphtap::model {

struct Tally {
  std::uint64_t replays = 0;       // launches that succeeded
  std::uint64_t sampled = 0;       // of those that were due: the values have arrived
  std::uint64_t lost = 0;          // or not
  std::uint64_t observations = 0;  // values of one operand in one replay
  std::uint64_t refused = 0;       // sites that no probe observes
  std::optional<std::uint64_t> first_ns, last_ns;  // of the replays
  // Their numbers by executable, first to last: a due one is told of by itself and by its range.
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint64_t>> spans;

  // Replays a second from the first to the last; nullopt for fewer than two.
  std::optional<double> Rate() const;
};

class GrowingRun {
 public:
  // A run folder or one file of it; it need not be there yet.
  explicit GrowingRun(std::string path) { run_.path = std::move(path); }

  absl::Status Read();

  // Is there a run at the path?
  bool exists() const { return run_.launch.has_value() || !files_.empty(); }
  // Has it ended, as far as one can know: the launcher has noted the end; or every process has
  // written its end, or is one of this machine that is gone.
  bool Over() const;

  // Of each process its identity, ending, losses, messages and damage; no graphs, no observations.
  const Run& run() const { return run_; }
  const Tally& tally(const Process& process) const { return tallies_.at(&process); }

 private:
  struct File {
    std::string path;
    std::unique_ptr<reader::ByteSource> source;
    std::unique_ptr<reader::EntryReader> entries;  // null: nothing more is read of it
    Process* process = nullptr;

    void Close() {
      entries.reset();
      source.reset();
    }
  };

  absl::Status FindFiles();
  absl::Status AddFile(const std::string& path);
  void AddProcess(std::unique_ptr<Process> process);
  absl::Status ReadFile(File* file);

  Run run_;
  std::vector<Process*> processes_;  // run_'s
  std::map<const Process*, Tally> tallies_;
  std::vector<File> files_;
};

}  // namespace graphtap::model
