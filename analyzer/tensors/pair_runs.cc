#include "analyzer/tensors/pair_runs.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace graphtap::tensors {
namespace {

using Executables = std::vector<const model::Executable*>;

Executables ObservedOf(const model::Process& process) {
  Executables observed;
  for (const auto& [number, executable] : process.executables) {
    if (IsObserved(executable)) observed.push_back(&executable);
  }
  return observed;
}

std::vector<const model::Process*> ObservedOf(const model::Run& run) {
  std::vector<const model::Process*> observed;
  for (const auto& process : run.processes) {
    if (!ObservedOf(*process).empty()) observed.push_back(process.get());
  }
  return observed;
}

// Pairs what `same` says is the same, the first that is free; what is left on each side stays.
template <typename Item, typename Same, typename Pair>
void PairSame(std::vector<Item>* references, std::vector<Item>* candidates, const Same& same,
              const Pair& pair) {
  for (auto reference = references->begin(); reference != references->end();) {
    const auto found =
        std::find_if(candidates->begin(), candidates->end(),
                     [&](const auto& candidate) { return same(*reference, candidate); });
    if (found == candidates->end()) {
      ++reference;
      continue;
    }
    pair(*reference, *found);
    candidates->erase(found);
    reference = references->erase(reference);
  }
}

bool IsEager(const model::Executable& executable) {
  return executable.graph != nullptr && executable.graph->record.eager();
}

ProcessPair PairExecutables(const model::Process& reference, const model::Process& candidate,
                            const PairOptions& options) {
  ProcessPair pair = {.reference = &reference,
                      .candidate = &candidate,
                      .executables = {},
                      .reference_only = ObservedOf(reference),
                      .candidate_only = ObservedOf(candidate)};
  const auto add = [&](const auto* a, const auto* b) { pair.executables.push_back({a, b}); };
  const auto match = [&](const auto& same) {
    PairSame(&pair.reference_only, &pair.candidate_only, same, add);
  };
  const bool alone = pair.reference_only.size() == 1 && pair.candidate_only.size() == 1;
  if (options.by == PairBy::kLabel) {
    match([](const auto* a, const auto* b) { return a->name == b->name; });
  } else {
    match([&](const auto* a, const auto* b) {
      const auto mapped = options.map.find(a->key);
      return mapped != options.map.end() && mapped->second == b->key;
    });
    // A graph and the eager steps of one range have one key.
    const auto same_key = [&](const auto* a, const auto* b) {
      return a->key == b->key && !options.map.contains(a->key);
    };
    match(
        [&](const auto* a, const auto* b) { return same_key(a, b) && IsEager(*a) == IsEager(*b); });
    match(same_key);
    if (alone) match([](const auto*, const auto*) { return true; });
  }
  std::stable_sort(
      pair.executables.begin(), pair.executables.end(),
      [](const auto& a, const auto& b) { return a.reference->number < b.reference->number; });
  return pair;
}

std::set<std::string> KeysOf(const model::Run& run) {
  std::set<std::string> keys;
  for (const auto* process : ObservedOf(run)) {
    for (const auto* executable : ObservedOf(*process)) keys.insert(executable->key);
  }
  return keys;
}

absl::Status CheckKey(const std::string& key, const model::Run& run, const char* side) {
  const auto keys = KeysOf(run);
  if (keys.contains(key)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("--map: '%s': no such graph key in the %s; it has %s", key, side,
                      keys.empty() ? "none that was observed" : absl::StrJoin(keys, ", ")));
}

absl::Status CheckMap(const model::Run& reference, const model::Run& candidate,
                      const PairOptions& options) {
  std::set<std::string> claimed;
  for (const auto& [from, to] : options.map) {
    if (!claimed.insert(to).second) {
      return absl::InvalidArgumentError(
          absl::StrFormat("--map: '%s' is named twice; each may have one partner", to));
    }
    if (options.by == PairBy::kLabel) continue;
    if (const auto status = CheckKey(from, reference, "reference"); !status.ok()) return status;
    if (const auto status = CheckKey(to, candidate, "candidate"); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddToMap(const std::string& text, PairOptions* options) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--map: '%s': allowed is REF=CAND, two graph keys or two labels", text));
  }
  const std::string from = text.substr(0, equals);
  if (!options->map.emplace(from, text.substr(equals + 1)).second) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--map: '%s' is named twice; each may have one partner", from));
  }
  return absl::OkStatus();
}

bool IsObserved(const model::Executable& executable) {
  return !executable.due.empty() || !executable.observations.empty() || !executable.sites.empty();
}

absl::StatusOr<RunPairing> PairRuns(const model::Run& reference, const model::Run& candidate,
                                    const PairOptions& options) {
  const auto status = CheckMap(reference, candidate, options);
  if (!status.ok()) return status;
  RunPairing pairing;
  pairing.reference_only = ObservedOf(reference);
  pairing.candidate_only = ObservedOf(candidate);
  const bool alone = pairing.reference_only.size() == 1 && pairing.candidate_only.size() == 1;
  PairSame(
      &pairing.reference_only, &pairing.candidate_only,
      [&](const auto* a, const auto* b) { return alone || a->key.Text() == b->key.Text(); },
      [&](const auto* a, const auto* b) {
        pairing.processes.push_back(PairExecutables(*a, *b, options));
      });
  return pairing;
}

}  // namespace graphtap::tensors
