// Loss counters: how often each cause of proto/lists/losses.inc struck. Owner: the recorder.
// Threads: Count from any, the others from the writer thread. Failure: none in Count.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "proto/lists/losses.h"

namespace graphtap::record {

class LossCounters {
 public:
  void Count(Loss loss, std::uint64_t count) noexcept {
    counts_[static_cast<std::size_t>(loss)].fetch_add(count, std::memory_order_relaxed);
  }

  // What Changed() told did not arrive: the next call tells of all.
  void TellAgain() { told_ = {}; }

  // The counters that grew since the last call, with their whole counts.
  std::vector<std::pair<Loss, std::uint64_t>> Changed() {
    std::vector<std::pair<Loss, std::uint64_t>> changed;
    for (const LossInfo& info : kLosses) {
      const auto index = static_cast<std::size_t>(info.loss);
      const std::uint64_t count = counts_[index].load(std::memory_order_relaxed);
      if (count == told_[index]) continue;
      changed.emplace_back(info.loss, count);
      told_[index] = count;
    }
    return changed;
  }

 private:
  static constexpr std::size_t kSize = [] {
    std::size_t last = 0;
    for (const LossInfo& info : kLosses) {
      last = std::max(last, static_cast<std::size_t>(info.loss));
    }
    return last + 1;
  }();

  std::array<std::atomic<std::uint64_t>, kSize> counts_{};
  std::array<std::uint64_t, kSize> told_{};
};

}  // namespace graphtap::record
