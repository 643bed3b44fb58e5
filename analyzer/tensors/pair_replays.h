// Pairing of replays of two executables that correspond. A replay that the sampling left out is
// `not sampled`, which says nothing; one that was due and has no values is `lost`; one that the
// other run never made stands alone. Pure function, any thread. Failure: a label of the map that
// does not exist is a status of one line. Units: replay numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/tensors/pair_runs.h"

namespace graphtap::tensors {

enum class Presence : std::uint8_t { kObserved, kLost, kNotSampled, kNotReplayed };

struct ReplayPair {
  std::uint64_t reference = 0, candidate = 0;  // numbers
  Presence in_reference = Presence::kNotReplayed, in_candidate = Presence::kNotReplayed;
  std::optional<std::uint32_t> lost_cause;  // of losses.inc, where a record tells
};

// Every replay that was observed or due on one side at least, ascending.
std::vector<ReplayPair> PairReplays(const ExecutablePair& pair, const PairOptions& options);

// Whether all labels of the map exist ("replay:x3@100", observed).
absl::Status CheckLabels(const model::Run& reference, const model::Run& candidate,
                         const PairOptions& options);

}  // namespace graphtap::tensors
