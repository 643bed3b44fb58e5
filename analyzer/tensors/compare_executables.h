// Comparison of two executables that correspond: pairs their replays, in these their nodes and
// operands, and compares what was observed of them. Owner: the comparison of the runs. Threads:
// one. Failure: none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/tensors/compare_runs.h"

namespace graphtap::tensors {

class ExecutableComparer {
 public:
  ExecutableComparer(const ProcessPair& processes, ObservationComparer* observations,
                     const CompareOptions& options)
      : processes_(processes), observations_(observations), options_(options) {}

  ExecutableComparison Compare(const ExecutablePair& pair);

 private:
  using Observations = std::vector<const model::Observation*>;
  // What a place is within one graph: operator or node, and operand.
  using Place = std::pair<const void*, std::string>;
  struct Structure {
    NodePairing nodes;
    OpPairing ops;
  };

  static Observations At(const model::Executable& executable, std::uint64_t replay);
  static Place PlaceOf(const model::Site& site);
  static std::optional<Place> PartnerOf(const model::Site& site, const Structure& structure,
                                        bool in_reference);
  static std::set<Place> PlacesOf(const model::Executable& executable);

  Status CountReplay(const ReplayPair& replay, ExecutableComparison* result) const;
  void CompareReplay(ReplayComparison* replay);
  const Structure& StructureOf(const Observations& reference, const Observations& candidate);
  Comparison Alone(const model::Observation& observation, const Structure& structure,
                   bool in_reference) const;

  const ProcessPair& processes_;
  ObservationComparer* observations_;
  const CompareOptions& options_;
  ExecutablePair pair_;
  std::set<Place> reference_places_, candidate_places_;
  std::map<std::pair<const model::Graph*, const model::Graph*>, Structure> structures_;
};

// Whether the process left no end record: what is missing at its end may be missing for that.
bool IsIncomplete(const model::Process& process);

}  // namespace graphtap::tensors
