// Pairing of runs: which process and which executable of the candidate are those of the reference.
// Processes pair by their key, alone with alone; executables by graph key, as a map says, alone
// with alone; or by name (x3). Only what was to be observed is paired. Pure function of frozen
// runs, any thread. Failure: a map that does not fit is a status of one line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/run.h"

namespace graphtap::tensors {

enum class PairBy : std::uint8_t {
  kReplay,  // executables by graph key, replays by number
  kNth,     // executables by graph key, the k-th observed replay with the k-th observed
  kLabel,   // "replay:x3@100": executables by name, replays by number, both as a map says
};

struct PairOptions {
  PairBy by = PairBy::kReplay;
  // Graph keys, or labels with kLabel: reference to candidate.
  std::map<std::string, std::string> map;
};

// Adds "REF=CAND" to the map.
absl::Status AddToMap(const std::string& text, PairOptions* options);

struct ExecutablePair {
  const model::Executable* reference = nullptr;
  const model::Executable* candidate = nullptr;
};

struct ProcessPair {
  const model::Process* reference = nullptr;
  const model::Process* candidate = nullptr;
  std::vector<ExecutablePair> executables;  // in the order of the reference
  std::vector<const model::Executable*> reference_only, candidate_only;
};

struct RunPairing {
  std::vector<ProcessPair> processes;
  std::vector<const model::Process*> reference_only, candidate_only;
};

// Whether replays of it were due, or places in it planned.
bool IsObserved(const model::Executable& executable);

absl::StatusOr<RunPairing> PairRuns(const model::Run& reference, const model::Run& candidate,
                                    const PairOptions& options);

}  // namespace graphtap::tensors
