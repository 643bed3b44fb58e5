#include "interpose/probe/graph_memory.h"

#include <algorithm>
#include <tuple>

namespace graphtap::probe {
namespace {

// CUgraphNodeType, which is carried as a number.
constexpr std::uint32_t kAllocation = 10, kFree = 11;

}  // namespace

GraphMemory::GraphMemory(std::span<const record::Node> nodes, const SizeAt& size_at) {
  for (const record::Node& node : nodes) {
    const auto& parameters = node.parameters;
    if (parameters.operands.empty()) continue;
    const std::uint64_t address = parameters.operands.front().address;
    if (parameters.kind == kAllocation) {
      allocations_.push_back({node.index, address, parameters.operands.front().extent});
    } else if (parameters.kind == kFree) {
      frees_.push_back({node.index, address});
    }
  }
  const std::size_t own = allocations_.size();
  for (const Free& free : frees_) {
    const auto end = allocations_.begin() + static_cast<std::ptrdiff_t>(own);
    const bool known = std::any_of(allocations_.begin(), end, [&](const Allocation& allocation) {
      return allocation.address == free.address;
    });
    if (!known) allocations_.push_back({std::nullopt, free.address, size_at(free.address)});
  }
  if (!allocations_.empty()) ReadDependents(nodes);
}

void GraphMemory::ReadDependents(std::span<const record::Node> nodes) {
  // Dependencies are told by the position in the level.
  using Position = std::tuple<std::int64_t, std::int64_t, std::uint32_t>;
  const auto position = [](const record::Node& node, std::uint32_t at) {
    const std::int64_t parent = node.parent ? std::int64_t{*node.parent} : -1;
    const std::int64_t body = node.body ? std::int64_t{*node.body} : -1;
    return Position{parent, body, at};
  };
  std::map<Position, std::uint32_t> index;
  for (const record::Node& node : nodes) index[position(node, node.position)] = node.index;
  places_.resize(nodes.size());
  for (const record::Node& node : nodes) {
    places_[node.index].parent = node.parent;
    places_[node.index].body = node.body;
    for (const record::Dependency& dependency : node.dependencies) {
      places_[index.at(position(node, dependency.from))].dependents.push_back(node.index);
    }
  }
}

const std::vector<bool>& GraphMemory::BehindOf(std::uint32_t node) {
  const auto known = behind_.find(node);
  if (known != behind_.end()) return known->second;
  std::vector<bool> reached(places_.size());
  std::vector<std::uint32_t> open = {node};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const std::uint32_t next : places_[at].dependents) {
      if (reached[next]) continue;
      reached[next] = true;
      open.push_back(next);
    }
  }
  return behind_.emplace(node, std::move(reached)).first->second;
}

bool GraphMemory::Precedes(std::uint32_t first, std::uint32_t second) {
  const auto path = [&](std::uint32_t node) {
    std::vector<std::uint32_t> nodes = {node};
    while (places_[nodes.back()].parent) nodes.push_back(*places_[nodes.back()].parent);
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
  };
  const auto from = path(first), to = path(second);
  const auto [a, b] = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  if (a == from.end() || b == to.end()) return false;  // one is inside the other
  if (places_[*a].body != places_[*b].body) return false;
  return BehindOf(*a)[*b];
}

bool GraphMemory::Live(const Allocation& allocation, std::uint32_t node) {
  const auto behind = [&](std::uint32_t other) {
    return !allocation.node || Precedes(*allocation.node, other);
  };
  if (!behind(node)) return false;
  return std::all_of(frees_.begin(), frees_.end(), [&](const Free& free) {
    const bool of_this = free.address == allocation.address && behind(free.node);
    return !of_this || Precedes(node, free.node);
  });
}

std::optional<std::uint64_t> GraphMemory::BytesAt(std::uint32_t node, std::uint64_t address) {
  std::optional<std::uint64_t> bytes;
  for (const Allocation& allocation : allocations_) {
    const std::uint64_t end = allocation.address + allocation.bytes;
    if (address < allocation.address || address >= end) continue;
    bytes = std::max(bytes.value_or(0), Live(allocation, node) ? end - address : 0);
  }
  return bytes;
}

}  // namespace graphtap::probe
