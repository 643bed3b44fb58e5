// Graph memory: what allocation nodes give to a graph and free nodes take away, and what of it is
// there right behind a node. A probe behind node k comes before all that depend on k: so a free
// node that depends on k, directly or not, comes behind the probe, and one that does not depend on
// k may come before it. Pure. Owner: whoever plans. Threads: one at a time. Failure: bad_alloc.
// Units: bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "interpose/record/records.h"

namespace graphtap::probe {

class GraphMemory {
 public:
  GraphMemory() = default;
  // `nodes` as trace.proto orders them. `size_at`: of the allocation at an address that the graph
  // frees and another has allocated.
  using SizeAt = std::function<std::uint64_t(std::uint64_t address)>;
  GraphMemory(std::span<const record::Node> nodes, const SizeAt& size_at);

  // How many bytes from the address on are memory that is there right behind `node`; nullopt: it is
  // no memory that nodes of this graph allocate or free. An address may serve several allocations,
  // one after another.
  std::optional<std::uint64_t> BytesAt(std::uint32_t node, std::uint64_t address);

 private:
  struct Place {  // of a node, as the others need to know it
    std::optional<std::uint32_t> parent;
    std::optional<std::uint32_t> body;
    std::vector<std::uint32_t> dependents;
  };
  struct Allocation {
    std::optional<std::uint32_t> node;  // none: another graph's
    std::uint64_t address = 0, bytes = 0;
  };
  struct Free {
    std::uint32_t node = 0;
    std::uint64_t address = 0;
  };

  // Whether `second` runs only after `first` has ended, in whatever levels they are.
  bool Precedes(std::uint32_t first, std::uint32_t second);
  bool Live(const Allocation& allocation, std::uint32_t node);
  const std::vector<bool>& BehindOf(std::uint32_t node);

  void ReadDependents(std::span<const record::Node> nodes);

  std::vector<Place> places_;
  std::vector<Allocation> allocations_;
  std::vector<Free> frees_;
  std::map<std::uint32_t, std::vector<bool>> behind_;  // of a node: the nodes of its level
};

}  // namespace graphtap::probe
