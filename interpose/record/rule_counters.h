// Rule counters: what became of each rule of the specification. Owner: the recorder; the number of
// rules is fixed. Threads: Count from any, without a lock; the others from the writer thread.
// Failure: Count says whether there is such a rule. Units: sites and observations (observations.h).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "interpose/record/observations.h"

namespace graphtap::record {

class RuleCounters {
 public:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(RuleCount::kImpossible) + 1;
  using Counts = std::array<std::uint64_t, kKinds>;  // by RuleCount

  explicit RuleCounters(std::uint32_t rules) : rules_(rules), told_(rules) {}

  bool Count(std::uint32_t rule, RuleCount what, std::uint64_t count) noexcept {
    if (rule >= rules_.size()) return false;
    rules_[rule][static_cast<std::size_t>(what)].fetch_add(count, std::memory_order_relaxed);
    return true;
  }

  // What Changed() told did not arrive: the next call tells of all.
  void TellAgain() { std::fill(told_.begin(), told_.end(), std::nullopt); }

  // The rules of which a count grew since the last call, with their whole counts; at the first
  // call all.
  std::vector<std::pair<std::uint32_t, Counts>> Changed() {
    std::vector<std::pair<std::uint32_t, Counts>> changed;
    for (std::uint32_t rule = 0; rule < rules_.size(); ++rule) {
      Counts counts;
      for (std::size_t i = 0; i < kKinds; ++i) {
        counts[i] = rules_[rule][i].load(std::memory_order_relaxed);
      }
      if (told_[rule] == counts) continue;
      changed.emplace_back(rule, counts);
      told_[rule] = counts;
    }
    return changed;
  }

 private:
  using Row = std::array<std::atomic<std::uint64_t>, kKinds>;

  std::vector<Row> rules_;
  std::vector<std::optional<Counts>> told_;  // none: not yet
};

}  // namespace graphtap::record
