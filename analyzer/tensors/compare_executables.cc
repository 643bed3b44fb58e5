#include "analyzer/tensors/compare_executables.h"

#include <algorithm>

#include "absl/strings/str_format.h"
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

// Why nothing was observed at this place of the executable, which has it.
std::string WhyNot(const model::Executable& executable, const std::string& name,
                   std::uint32_t invocation) {
  for (const auto& refusal : executable.refusals) {
    if (refusal.name == name && refusal.invocation == invocation) {
      return "it was refused: " + SkipName(refusal.record.reason());
    }
  }
  return "it was not selected, or not found among the arguments";
}

template <typename Item>
const Item* Find(const Pairing<Item>& pairing, const Item* item, bool in_reference) {
  const auto& partners = in_reference ? pairing.candidate_of : pairing.reference_of;
  const auto found = partners.find(item);
  return found == partners.end() ? nullptr : found->second;
}

// What the partner of the site's node or operator, which there is, would call it.
template <typename Structure>
std::pair<std::string, std::uint32_t> NameThere(const model::Site& site, const Structure& structure,
                                                bool in_reference) {
  if (site.op == nullptr) {
    const auto* node = Find(structure.nodes, site.node, in_reference);
    return {node->name + site.operand, node->invocation};
  }
  const auto* op = Find(structure.ops, site.op, in_reference);
  if (op->gradient_name.empty()) return {op->name + site.operand, op->record.invocation()};
  return {op->gradient_name + site.operand, op->gradient_invocation};
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

ExecutableComparer::Place ExecutableComparer::PlaceOf(const model::Site& site) {
  if (site.op != nullptr) return {site.op, site.operand};
  return {site.node, site.operand};
}

// The same place of the other run. nullopt: that has no such operator or node.
std::optional<ExecutableComparer::Place> ExecutableComparer::PartnerOf(const model::Site& site,
                                                                       const Structure& structure,
                                                                       bool in_reference) {
  const void* partner = site.op != nullptr
                            ? static_cast<const void*>(Find(structure.ops, site.op, in_reference))
                            : Find(structure.nodes, site.node, in_reference);
  if (partner == nullptr) return std::nullopt;
  return Place(partner, site.operand);
}

std::set<ExecutableComparer::Place> ExecutableComparer::PlacesOf(
    const model::Executable& executable) {
  std::set<Place> places;
  for (const auto* site : executable.sites) places.insert(PlaceOf(*site));
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
    NodePairing& nodes = structure.nodes;
    if (nodes.moved + nodes.removed.size() + nodes.inserted.size() > 0) {
      result.structures.push_back(std::move(nodes));
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

const ExecutableComparer::Structure& ExecutableComparer::StructureOf(
    const Observations& reference, const Observations& candidate) {
  static const model::Graph kLost;
  const auto graph = [](const Observations& observations) {
    const auto* found = observations.front()->site->graph;
    return found == nullptr ? &kLost : found;
  };
  const auto& a = *graph(reference);
  const auto& b = *graph(candidate);
  const auto [structure, is_new] = structures_.try_emplace({&a, &b});
  if (is_new) structure->second = {PairNodes(a, b), PairOps(a, b)};
  return structure->second;
}

void ExecutableComparer::CompareReplay(ReplayComparison* replay) {
  const Observations references = At(*pair_.reference, replay->pair.reference);
  const Observations candidates = At(*pair_.candidate, replay->pair.candidate);
  const Structure& structure = StructureOf(references, candidates);
  std::map<Place, const model::Observation*> left;
  for (const auto* candidate : candidates) left[PlaceOf(*candidate->site)] = candidate;
  for (const auto* reference : references) {
    const auto partner = PartnerOf(*reference->site, structure, true);
    const auto found = partner ? left.find(*partner) : left.end();
    if (found == left.end()) {
      replay->observations.push_back(Alone(*reference, structure, true));
    } else {
      replay->observations.push_back(observations_->Compare(*reference, *found->second));
      left.erase(found);
    }
  }
  for (const auto* candidate : candidates) {
    if (!left.contains(PlaceOf(*candidate->site))) continue;
    replay->observations.push_back(Alone(*candidate, structure, false));
  }
  for (const auto& item : replay->observations) {
    replay->status = std::max(replay->status, item.status);
  }
}

// An observation without a partner in a replay that both runs observed.
Comparison ExecutableComparer::Alone(const model::Observation& observation,
                                     const Structure& structure, bool in_reference) const {
  const model::Site& site = *observation.site;
  Comparison result;
  (in_reference ? result.reference : result.candidate) = &observation;
  result.kind = in_reference ? Kind::kReferenceOnly : Kind::kCandidateOnly;
  result.dtype = site.dtype;
  result.status = Status::kInconclusive;
  const char* const other = in_reference ? "candidate" : "reference";
  const auto partner = PartnerOf(site, structure, in_reference);
  const auto& places = in_reference ? candidate_places_ : reference_places_;
  const auto& executable = in_reference ? *pair_.candidate : *pair_.reference;
  if (site.node == nullptr) {
    result.reason = "the definition of its node is lost";
  } else if (site.op != nullptr && executable.graph != nullptr && executable.graph->ops.empty()) {
    result.reason = absl::StrFormat("the %s knows no operators", other);
  } else if (!partner) {
    result.status = Status::kMismatch;
    result.reason = absl::StrFormat("the %s's graph has no such %s", other,
                                    site.op == nullptr ? "node" : "operator");
  } else if (places.contains(*partner)) {
    result.reason = absl::StrFormat("the %s's values of it are lost", other);
  } else {
    const auto [name, invocation] = NameThere(site, structure, in_reference);
    result.reason =
        absl::StrFormat("not observed in the %s: %s", other, WhyNot(executable, name, invocation));
  }
  return result;
}

}  // namespace graphtap::tensors
