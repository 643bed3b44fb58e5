// Comparison of two runs: what each pair of observations says, what has no partner, and the
// verdict. Owner: the command; both runs outlive it. Threads: one. Failure: a status of one line
// for a map that does not fit or a file that cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/tensors/compare_observations.h"
#include "analyzer/tensors/pair_nodes.h"
#include "analyzer/tensors/pair_replays.h"
#include "analyzer/tensors/pair_runs.h"

namespace graphtap::tensors {

struct CompareOptions {
  arrays::Tolerance tolerance;
  PairOptions pairing;
};

struct ReplayComparison {
  ReplayPair pair;
  Status status = Status::kMatch;
  std::vector<Comparison> observations;  // in the order of the reference, then what only the
                                         // candidate has
};

struct ExecutableComparison {
  ExecutablePair pair;
  Status status = Status::kMatch;
  std::vector<ReplayComparison> replays;
  std::vector<NodePairing> structures;  // of each pair of graph versions that differ
  std::uint64_t compared = 0, not_sampled = 0, lost = 0, reference_only = 0, candidate_only = 0;
};

struct ProcessComparison {
  ProcessPair pair;
  Status status = Status::kMatch;
  std::vector<ExecutableComparison> executables;
};

// The pair of observations from which a reader should start.
struct FirstDifference {
  const ProcessComparison* process = nullptr;
  const ExecutableComparison* executable = nullptr;
  const ReplayComparison* replay = nullptr;
  const Comparison* observation = nullptr;
};

struct RunComparison {
  RunPairing pairing;
  Status status = Status::kMatch;
  std::vector<ProcessComparison> processes;
  std::uint64_t matched = 0, mismatched = 0, inconclusive = 0;  // observations
  std::optional<FirstDifference> first;
  // Two values that differ before the first mismatch does, though it cannot be told whether they
  // are the node's own: the difference may come from here.
  std::optional<FirstDifference> before_first;
  std::vector<std::string> warnings;
};

absl::StatusOr<RunComparison> CompareRuns(const model::Run& reference, const model::Run& candidate,
                                          const CompareOptions& options);

}  // namespace graphtap::tensors
