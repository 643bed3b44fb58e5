// Node positions: where each node stands in a list of them; of equal ones the first counts. One
// sorted piece of memory, which is quicker to make than a map, with memory of its own for each.
// Owner: whoever makes it. Threads: constant. Failure: bad_alloc. No units.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interpose/driver/driver.h"

namespace graphtap::ops {

class NodePositions {
 public:
  explicit NodePositions(std::span<const CUgraphNode> nodes) {
    sorted_.reserve(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) sorted_.emplace_back(nodes[i], i);
    std::ranges::sort(sorted_);
  }

  std::optional<std::uint32_t> Find(CUgraphNode node) const {
    const auto found = std::ranges::lower_bound(sorted_, node, {}, &Entry::first);
    if (found == sorted_.end() || found->first != node) return std::nullopt;
    return found->second;
  }

 private:
  using Entry = std::pair<CUgraphNode, std::uint32_t>;
  std::vector<Entry> sorted_;
};

}  // namespace graphtap::ops
