#include "analyzer/tensors/compare_executables.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/tensors/series.h"
#include "proto/lists/losses.h"
#include "proto/lists/skips.h"

namespace graphtap::tensors {
namespace {

std::string SkipName(std::uint32_t number) {
  for (const auto& info : kSkips) {
    if (static_cast<std::uint32_t>(info.skip) == number) return info.name;
  }
  return absl::StrFormat("reason %u of a newer graphtap", number);
}

// Why what `site` of another executable observes was not observed in this one, which has the node.
// What is named after an operator has the same name in both.
std::string WhyNot(const model::Executable& executable, const model::Node& node,
                   const model::Site& site) {
  const bool by_node = site.node != nullptr && site.name == site.node->name + site.operand;
  const std::string name = by_node ? node.name + site.operand : site.name;
  const std::uint32_t invocation = by_node ? node.invocation : site.invocation;
  for (const auto& refusal : executable.refusals) {
    if (refusal.name == name && refusal.invocation == invocation) {
      return "it was refused: " + SkipName(refusal.record.reason());
    }
  }
  return "it was not selected, or not found among the arguments";
}

}  // namespace

// Its last records, or any of them, may not be in the file.
bool IsIncomplete(const model::Process& process) {
  const bool ended = process.end.has_value();
  if (!ended || process.run_lost || process.damage.damaged()) return true;
  constexpr Loss kOfRecords[] = {Loss::buffer_full, Loss::write_failed, Loss::too_large,
                                 Loss::internal};
  return std::any_of(std::begin(kOfRecords), std::end(kOfRecords), [&](Loss loss) {
    const auto found = process.losses.find(static_cast<std::uint32_t>(loss));
    return found != process.losses.end() && found->second > 0;
  });
}

ExecutableComparer::Observations ExecutableComparer::At(const model::Executable& executable,
                                                        std::uint64_t replay) {
  const auto& all = executable.observations;
  auto observation = std::lower_bound(
      all.begin(), all.end(), replay,
      [](const model::Observation& row, std::uint64_t number) { return row.replay < number; });
  Observations found;
  for (; observation != all.end() && observation->replay == replay; ++observation) {
    found.push_back(&*observation);
  }
  return found;
}

// Several gradients may flow past one node, one into each backward node.
ExecutableComparer::Place ExecutableComparer::PlaceOf(const model::Site& site,
                                                      const model::Node* node) {
  return {node, site.record.role() == Operand::ROLE_GRADIENT ? KeyText(site) : site.operand};
}

std::set<ExecutableComparer::Place> ExecutableComparer::PlacesOf(
    const model::Executable& executable) {
  std::set<Place> places;
  for (const auto* site : executable.sites) places.insert(PlaceOf(*site, site->node));
  return places;
}

ExecutableComparison ExecutableComparer::Compare(const ExecutablePair& pair) {
  pair_ = pair;
  reference_places_ = PlacesOf(*pair.reference);
  candidate_places_ = PlacesOf(*pair.candidate);
  structures_.clear();
  ExecutableComparison result;
  result.pair = pair;
  for (const auto& replays : PairReplays(pair, options_.pairing)) {
    ReplayComparison replay;
    replay.pair = replays;
    replay.status = CountReplay(replays, &result);
    if (replays.in_reference == Presence::kObserved &&
        replays.in_candidate == Presence::kObserved) {
      CompareReplay(&replay);
    }
    result.status = std::max(result.status, replay.status);
    result.replays.push_back(std::move(replay));
  }
  for (auto& [graphs, structure] : structures_) {
    if (structure.moved + structure.removed.size() + structure.inserted.size() > 0) {
      result.structures.push_back(std::move(structure));
    }
  }
  return result;
}

Status ExecutableComparer::CountReplay(const ReplayPair& replay,
                                       ExecutableComparison* result) const {
  const auto is = [&](Presence presence) {
    return replay.in_reference == presence || replay.in_candidate == presence;
  };
  if (is(Presence::kNotSampled)) {
    ++result->not_sampled;
    return Status::kMatch;
  }
  if (is(Presence::kNotReplayed)) {
    const bool reference_only = replay.in_candidate == Presence::kNotReplayed;
    ++(reference_only ? result->reference_only : result->candidate_only);
    const auto& other = reference_only ? *processes_.candidate : *processes_.reference;
    return IsIncomplete(other) ? Status::kInconclusive : Status::kMismatch;
  }
  if (is(Presence::kLost)) {
    ++result->lost;
    return Status::kInconclusive;
  }
  ++result->compared;
  return Status::kMatch;
}

const NodePairing& ExecutableComparer::Structure(const Observations& reference,
                                                 const Observations& candidate) {
  static const model::Graph kLost;
  const auto graph = [](const Observations& observations) {
    const auto* found = observations.front()->site->graph;
    return found == nullptr ? &kLost : found;
  };
  const auto [structure, is_new] =
      structures_.try_emplace({graph(reference), graph(candidate)}, NodePairing());
  if (is_new) structure->second = PairNodes(*structure->first.first, *structure->first.second);
  return structure->second;
}

void ExecutableComparer::CompareReplay(ReplayComparison* replay) {
  const Observations references = At(*pair_.reference, replay->pair.reference);
  const Observations candidates = At(*pair_.candidate, replay->pair.candidate);
  const NodePairing& structure = Structure(references, candidates);
  std::map<Place, const model::Observation*> left;
  for (const auto* candidate : candidates) {
    left[PlaceOf(*candidate->site, candidate->site->node)] = candidate;
  }
  for (const auto* reference : references) {
    const auto partner = structure.candidate_of.find(reference->site->node);
    const auto found = partner == structure.candidate_of.end()
                           ? left.end()
                           : left.find(PlaceOf(*reference->site, partner->second));
    if (found == left.end()) {
      replay->observations.push_back(Alone(*reference, structure, true));
    } else {
      replay->observations.push_back(observations_->Compare(*reference, *found->second));
      left.erase(found);
    }
  }
  for (const auto* candidate : candidates) {
    if (!left.contains(PlaceOf(*candidate->site, candidate->site->node))) continue;
    replay->observations.push_back(Alone(*candidate, structure, false));
  }
  for (const auto& item : replay->observations) {
    replay->status = std::max(replay->status, item.status);
  }
}

// An observation without a partner in a replay that both runs observed.
Comparison ExecutableComparer::Alone(const model::Observation& observation,
                                     const NodePairing& structure, bool in_reference) const {
  Comparison result;
  (in_reference ? result.reference : result.candidate) = &observation;
  result.kind = in_reference ? Kind::kReferenceOnly : Kind::kCandidateOnly;
  result.dtype = observation.site->dtype;
  result.status = Status::kInconclusive;
  const char* const other = in_reference ? "candidate" : "reference";
  const auto& partners = in_reference ? structure.candidate_of : structure.reference_of;
  const auto partner = partners.find(observation.site->node);
  if (observation.site->node == nullptr) {
    result.reason = "the definition of its node is lost";
  } else if (partner == partners.end()) {
    result.status = Status::kMismatch;
    result.reason = absl::StrFormat("the %s's graph has no such node", other);
  } else {
    const auto& places = in_reference ? candidate_places_ : reference_places_;
    const bool planned = places.contains(PlaceOf(*observation.site, partner->second));
    const auto& executable = in_reference ? *pair_.candidate : *pair_.reference;
    result.reason = planned
                        ? absl::StrFormat("the %s's values of it are lost", other)
                        : absl::StrFormat("not observed in the %s: %s", other,
                                          WhyNot(executable, *partner->second, *observation.site));
  }
  return result;
}

}  // namespace graphtap::tensors
