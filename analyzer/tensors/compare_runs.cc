#include "analyzer/tensors/compare_runs.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/tensors/compare_executables.h"

namespace graphtap::tensors {
namespace {

void Worsen(Status* status, Status by) { *status = std::max(*status, by); }

// Executables that the other process has not: it may not have come so far.
Status StatusOfAlone(const ProcessPair& pair) {
  Status status = Status::kMatch;
  if (!pair.reference_only.empty()) {
    Worsen(&status, IsIncomplete(*pair.candidate) ? Status::kInconclusive : Status::kMismatch);
  }
  if (!pair.candidate_only.empty()) {
    Worsen(&status, IsIncomplete(*pair.reference) ? Status::kInconclusive : Status::kMismatch);
  }
  return status;
}

absl::StatusOr<ProcessComparison> CompareProcesses(const ProcessPair& pair,
                                                   const CompareOptions& options) {
  auto reference = model::PayloadReader::Open(*pair.reference);
  if (!reference.ok()) return reference.status();
  auto candidate = model::PayloadReader::Open(*pair.candidate);
  if (!candidate.ok()) return candidate.status();
  ObservationComparer observations(*std::move(reference), *std::move(candidate), options.tolerance);
  ExecutableComparer comparer(pair, &observations, options);
  ProcessComparison result;
  result.pair = pair;
  result.status = StatusOfAlone(pair);
  for (const auto& executables : pair.executables) {
    result.executables.push_back(comparer.Compare(executables));
    Worsen(&result.status, result.executables.back().status);
  }
  return result;
}

void CountObservations(RunComparison* result) {
  for (const auto& process : result->processes) {
    for (const auto& executable : process.executables) {
      for (const auto& replay : executable.replays) {
        for (const auto& item : replay.observations) {
          ++(item.status == Status::kMatch      ? result->matched
             : item.status == Status::kMismatch ? result->mismatched
                                                : result->inconclusive);
        }
      }
    }
  }
}

// Where an item stands in the order of the reference: a node that only the candidate has, behind
// the last one before it that both have.
std::tuple<std::uint32_t, int> PlaceOf(const Comparison& item, const ExecutableComparison& all) {
  if (item.reference != nullptr) return {item.reference->site->record.node(), 0};
  const auto* site = item.candidate->site;
  if (site->graph == nullptr || site->node == nullptr) return {site->record.node(), 1};
  const model::Node* const first = site->graph->nodes.data();
  for (const auto& structure : all.structures) {
    for (const model::Node* node = site->node; node > first;) {
      const auto partner = structure.reference_of.find(--node);
      if (partner != structure.reference_of.end()) return {partner->second->record.index(), 1};
    }
  }
  return {0, -1};
}

bool IsMismatch(const Comparison& item) { return item.status == Status::kMismatch; }
bool IsInconclusive(const Comparison& item) { return item.status == Status::kInconclusive; }
bool DiffersInconclusively(const Comparison& item) {
  return IsInconclusive(item) && item.reference != nullptr && item.candidate != nullptr;
}

// The first such item in a replay; null: none.
template <typename Is>
const Comparison* FirstOf(const Is& is, const ReplayComparison& replay,
                          const ExecutableComparison& executable) {
  const Comparison* first = nullptr;
  for (const auto& item : replay.observations) {
    if (!is(item)) continue;
    if (first == nullptr || PlaceOf(item, executable) < PlaceOf(*first, executable)) first = &item;
  }
  return first;
}

// When the job launched the replay, as far as it is known; else the end of time.
std::uint64_t TimeOf(const ExecutableComparison& executable, const ReplayComparison& replay) {
  for (const auto& due : executable.pair.reference->due) {
    if (due.number() == replay.pair.reference && due.time_ns() > 0) return due.time_ns();
  }
  return std::numeric_limits<std::uint64_t>::max();
}

// Whether `a` stands before `b`, as far as their places and times tell.
bool Precedes(const FirstDifference& a, const FirstDifference& b) {
  if (a.process != b.process) return false;
  if (a.replay == b.replay) {
    return PlaceOf(*a.observation, *a.executable) < PlaceOf(*b.observation, *b.executable);
  }
  if (a.executable == b.executable) return a.replay < b.replay;  // both in one vector
  return TimeOf(*a.executable, *a.replay) < TimeOf(*b.executable, *b.replay);
}

// Of the first process that has such an item, that of the earliest replay.
template <typename Is>
std::optional<FirstDifference> FindFirst(const RunComparison& result, const Is& is) {
  for (const auto& process : result.processes) {
    std::optional<FirstDifference> first;
    std::uint64_t first_time = 0;
    for (const auto& executable : process.executables) {
      for (const auto& replay : executable.replays) {
        const auto* item = FirstOf(is, replay, executable);
        if (item == nullptr) continue;
        const std::uint64_t time = TimeOf(executable, replay);
        if (!first || time < first_time) {
          first = {&process, &executable, &replay, item};
          first_time = time;
        }
        break;
      }
    }
    if (first) return first;
  }
  return std::nullopt;
}

void WarnOf(const ProcessPair& pair, std::vector<std::string>* warnings) {
  const auto differ = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != b) warnings->push_back(absl::StrFormat("the %s differ: '%s', then '%s'", what, a, b));
  };
  differ("specifications", pair.reference->run.specification(),
         pair.candidate->run.specification());
  differ("replays that were due", pair.reference->run.replays(), pair.candidate->run.replays());
  for (const auto& [process, side] :
       {std::pair(pair.reference, "reference"), std::pair(pair.candidate, "candidate")}) {
    if (!IsIncomplete(*process)) continue;
    warnings->push_back(absl::StrFormat(
        "%s of the %s did not end in order: what it lacks at its end is inconclusive",
        process->name, side));
  }
}

void WarnOfMoves(const RunComparison& result, std::vector<std::string>* warnings) {
  for (const auto& process : result.processes) {
    for (const auto& executable : process.executables) {
      for (const auto& structure : executable.structures) {
        if (structure.moved == 0) continue;
        warnings->push_back(
            absl::StrFormat("%u nodes of %s stand in another order in the candidate",
                            structure.moved, executable.pair.reference->name));
      }
    }
  }
}

}  // namespace

absl::StatusOr<RunComparison> CompareRuns(const model::Run& reference, const model::Run& candidate,
                                          const CompareOptions& options) {
  const auto labels = CheckLabels(reference, candidate, options.pairing);
  if (!labels.ok()) return labels;
  auto pairing = PairRuns(reference, candidate, options.pairing);
  if (!pairing.ok()) return pairing.status();
  RunComparison result;
  result.pairing = *std::move(pairing);
  for (const auto& pair : result.pairing.processes) {
    auto process = CompareProcesses(pair, options);
    if (!process.ok()) return process.status();
    Worsen(&result.status, process->status);
    result.processes.push_back(*std::move(process));
    WarnOf(pair, &result.warnings);
  }
  if (!result.pairing.reference_only.empty() || !result.pairing.candidate_only.empty()) {
    Worsen(&result.status, Status::kInconclusive);
  }
  CountObservations(&result);
  WarnOfMoves(result, &result.warnings);
  if (result.matched + result.mismatched + result.inconclusive == 0) {
    Worsen(&result.status, Status::kInconclusive);
    result.warnings.push_back("nothing was compared");
  }
  result.first = FindFirst(result, IsMismatch);
  if (!result.first) {
    result.first = FindFirst(result, IsInconclusive);
  } else if (const auto before = FindFirst(result, DiffersInconclusively);
             before && Precedes(*before, *result.first)) {
    result.before_first = before;
  }
  return result;
}

}  // namespace graphtap::tensors
