// Node positions: where each node stands in a list of them; of equal ones the first counts. Quicker
// to make than a map, which has memory of its own for each. Owner: whoever makes it. Threads:
// constant. Failure: bad_alloc. No units.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interpose/driver/driver.h"

namespace graphtap::ops {

class NodePositions {
 public:
  explicit NodePositions(std::span<const CUgraphNode> nodes)
      : shift_(64 - std::bit_width(2 * nodes.size() + 1)), slots_(std::size_t{1} << (64 - shift_)) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      Slot& slot = slots_[SlotOf(nodes[i])];
      if (slot.node == nullptr) slot = {nodes[i], i};
    }
  }

  std::optional<std::uint32_t> Find(CUgraphNode node) const {
    const Slot& slot = slots_[SlotOf(node)];
    return slot.node == nullptr ? std::nullopt : std::optional(slot.position);
  }

 private:
  struct Slot {
    CUgraphNode node = nullptr;  // none
    std::uint32_t position = 0;
  };

  // The one of the node, or the empty one where it would be: more than half of them are.
  std::size_t SlotOf(CUgraphNode node) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (reinterpret_cast<std::uintptr_t>(node) * 0x9e3779b97f4a7c15u) >> shift_;
    while (slots_[at].node != nullptr && slots_[at].node != node) at = (at + 1) & mask;
    return at;
  }

  const int shift_;  // what the hash is cut by
  std::vector<Slot> slots_;
};

}  // namespace graphtap::ops
