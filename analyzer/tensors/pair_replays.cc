#include "analyzer/tensors/pair_replays.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_format.h"

namespace graphtap::tensors {
namespace {

// What is known of the replays of one executable.
class Replays {
 public:
  explicit Replays(const model::Executable& executable) : executable_(executable) {
    for (const auto& observation : executable.observations) observed_.insert(observation.replay);
    for (const auto& replay : executable.due) {
      due_.insert(replay.number());
      if (replay.has_lost()) lost_[replay.number()] = replay.lost();
    }
  }

  // Observed or due.
  std::set<std::uint64_t> Numbers() const {
    std::set<std::uint64_t> numbers = observed_;
    numbers.insert(due_.begin(), due_.end());
    return numbers;
  }

  bool HasLost() const { return !lost_.empty() || due_.size() > observed_.size(); }

  std::vector<std::uint64_t> Observed() const { return {observed_.begin(), observed_.end()}; }

  Presence At(std::uint64_t number) const {
    if (observed_.contains(number)) return Presence::kObserved;
    if (due_.contains(number)) return Presence::kLost;
    for (const auto& span : executable_.replays) {
      if (number >= span.first && number <= span.last) return Presence::kNotSampled;
    }
    // Before the last known replay: it was made, but no record of it is left.
    const auto& spans = executable_.replays;
    return !spans.empty() && number < spans.back().last ? Presence::kLost : Presence::kNotReplayed;
  }

  std::optional<std::uint32_t> Cause(std::uint64_t number) const {
    const auto found = lost_.find(number);
    if (found == lost_.end()) return std::nullopt;
    return found->second;
  }

 private:
  const model::Executable& executable_;
  std::set<std::uint64_t> observed_, due_;
  std::map<std::uint64_t, std::uint32_t> lost_;
};

std::string Label(const model::Executable& executable, std::uint64_t replay) {
  return absl::StrFormat("replay:%s@%u", executable.name, replay);
}

ReplayPair PairOf(const Replays& reference, const Replays& candidate, std::uint64_t r,
                  std::uint64_t c) {
  ReplayPair pair = {.reference = r,
                     .candidate = c,
                     .in_reference = reference.At(r),
                     .in_candidate = candidate.At(c),
                     .lost_cause = reference.Cause(r)};
  if (!pair.lost_cause) pair.lost_cause = candidate.Cause(c);
  return pair;
}

// The k-th observed with the k-th observed. What has no partner may have lost it.
std::vector<ReplayPair> PairNth(const Replays& reference, const Replays& candidate) {
  const auto r = reference.Observed(), c = candidate.Observed();
  std::vector<ReplayPair> pairs;
  for (std::size_t k = 0; k < std::max(r.size(), c.size()); ++k) {
    ReplayPair pair;
    if (reference.HasLost()) pair.in_reference = Presence::kLost;
    if (candidate.HasLost()) pair.in_candidate = Presence::kLost;
    if (k < r.size()) {
      pair.reference = r[k];
      pair.in_reference = Presence::kObserved;
    }
    if (k < c.size()) {
      pair.candidate = c[k];
      pair.in_candidate = Presence::kObserved;
    }
    pairs.push_back(pair);
  }
  return pairs;
}

bool IsObservedLabel(const model::Run& run, const std::string& label) {
  for (const auto& process : run.processes) {
    for (const auto& [number, executable] : process->executables) {
      for (const auto& observation : executable.observations) {
        if (Label(executable, observation.replay) == label) return true;
      }
    }
  }
  return false;
}

}  // namespace

std::vector<ReplayPair> PairReplays(const ExecutablePair& pair, const PairOptions& options) {
  const Replays reference(*pair.reference), candidate(*pair.candidate);
  if (options.by == PairBy::kNth) return PairNth(reference, candidate);
  std::set<std::uint64_t> left = candidate.Numbers();
  std::map<std::uint64_t, std::uint64_t> mapped;  // by label
  std::set<std::uint64_t> taken;
  if (options.by == PairBy::kLabel) {
    for (const std::uint64_t r : reference.Numbers()) {
      const auto found = options.map.find(Label(*pair.reference, r));
      if (found == options.map.end()) continue;
      for (const std::uint64_t c : candidate.Numbers()) {
        if (Label(*pair.candidate, c) == found->second) mapped[r] = c;
      }
    }
    for (const auto& [r, c] : mapped) taken.insert(c);
    for (const std::uint64_t c : taken) left.erase(c);
  }
  std::vector<ReplayPair> pairs;
  for (const std::uint64_t r : reference.Numbers()) {
    const auto found = mapped.find(r);
    const std::uint64_t c = found == mapped.end() ? r : found->second;
    pairs.push_back(PairOf(reference, candidate, r, c));
    // Its namesake has another partner.
    if (found == mapped.end() && taken.contains(c))
      pairs.back().in_candidate = Presence::kNotSampled;
    left.erase(c);
  }
  for (const std::uint64_t c : left) pairs.push_back(PairOf(reference, candidate, c, c));
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.reference < b.reference; });
  return pairs;
}

absl::Status CheckLabels(const model::Run& reference, const model::Run& candidate,
                         const PairOptions& options) {
  if (options.by != PairBy::kLabel) return absl::OkStatus();
  for (const auto& [from, to] : options.map) {
    for (const auto& [label, run, side] :
         {std::tuple(&from, &reference, "reference"), std::tuple(&to, &candidate, "candidate")}) {
      if (IsObservedLabel(*run, *label)) continue;
      return absl::InvalidArgumentError(absl::StrFormat(
          "--map: '%s': no such observed replay in the %s; a label is replay:x<k>@<n>", *label,
          side));
    }
  }
  return absl::OkStatus();
}

}  // namespace graphtap::tensors
