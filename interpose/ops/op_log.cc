#include "interpose/ops/op_log.h"

#include <algorithm>
#include <map>
#include <utility>

namespace graphtap::ops {

void Append(GraphOps more, GraphOps* ops) {
  const auto first = static_cast<std::uint32_t>(ops->ops.size());
  for (record::Op& op : more.ops) {
    if (op.parent) *op.parent += first;
    ops->ops.push_back(std::move(op));
  }
  for (auto& [handle, node] : more.nodes) {
    node.op += first;
    ops->nodes[handle] = node;
  }
}

std::uint32_t OpLog::Begin(const Start& start, std::vector<CUgraphNode> newest) {
  const std::lock_guard lock(mutex_);
  Event& event = events_.emplace_back();
  event.start = start;
  event.begin = edges_.size();
  edges_.push_back(std::move(newest));
  return static_cast<std::uint32_t>(events_.size() - 1);
}

void OpLog::End(std::uint32_t op, std::vector<CUgraphNode> newest,
                std::vector<record::Tensor> tensors) {
  const std::lock_guard lock(mutex_);
  events_[op].end = edges_.size();
  events_[op].tensors = std::move(tensors);
  edges_.push_back(std::move(newest));
}

// How many nodes there were at each edge.
std::vector<std::size_t> OpLog::Cuts(std::span<const CUgraphNode> nodes,
                                     std::size_t existing) const {
  std::unordered_map<CUgraphNode, std::size_t> position;
  for (std::size_t i = 0; i < nodes.size(); ++i) position.emplace(nodes[i], i);
  std::vector<std::size_t> cuts;
  std::size_t cut = existing;
  for (const auto& newest : edges_) {
    for (CUgraphNode node : newest) {
      const auto found = position.find(node);
      if (found != position.end()) cut = std::max(cut, found->second + 1);
    }
    cuts.push_back(cut);
  }
  return cuts;
}

// Ops that began later are inside those that began before: they have the last word.
std::vector<OpLog::Owner> OpLog::Owners(const std::vector<std::size_t>& cuts,
                                        std::size_t nodes) const {
  std::vector<Owner> owners(nodes);
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    const Event& event = events_[e];
    const std::size_t end = event.end ? cuts[*event.end] : nodes;
    for (std::size_t i = cuts[event.begin]; i < end; ++i) {
      Owner& owner = owners[i];
      owner.inner = e;
      const bool in_leaf = owner.event && events_[*owner.event].start.kind == Kind::kLeaf;
      if (!in_leaf || event.start.kind == Kind::kLeaf) owner.event = e;
    }
  }
  return owners;
}

// Those with nodes or tensors, and what is around them.
std::vector<bool> OpLog::Kept(const std::vector<Owner>& owners) const {
  std::vector<bool> kept(events_.size());
  const auto keep = [&](std::uint32_t event) {
    for (std::optional at = event; at && !kept[*at]; at = events_[*at].start.parent) {
      kept[*at] = true;
    }
  };
  for (const Owner& owner : owners) {
    if (owner.event) keep(*owner.event);
  }
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    if (!events_[e].tensors.empty()) keep(e);
  }
  return kept;
}

GraphOps OpLog::Resolve(std::span<const CUgraphNode> nodes, std::size_t existing) const {
  const std::lock_guard lock(mutex_);
  const auto owners = Owners(Cuts(nodes, existing), nodes.size());
  const auto kept = Kept(owners);
  GraphOps result;
  std::vector<std::uint32_t> index(events_.size());
  std::map<std::pair<std::optional<record::StringId>, record::StringId>, std::uint32_t> seen;
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    const Start& start = events_[e].start;
    // Also those left out count, so that an op has the same number whether it added nodes or not.
    const std::uint32_t invocation =
        start.kind == Kind::kInner ? 0 : seen[{start.scope, start.name}]++;
    if (!kept[e]) continue;
    index[e] = static_cast<std::uint32_t>(result.ops.size());
    record::Op& op = result.ops.emplace_back();
    op.kind = start.kind == Kind::kLeaf ? record::OpKind::kLeaf : record::OpKind::kComposite;
    op.name = start.name;
    op.scope = start.scope;
    op.invocation = invocation;
    if (start.parent) op.parent = index[*start.parent];
    op.tensors = events_[e].tensors;
  }
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const auto [event, inner] = owners[i];
    if (!event) continue;
    NodeOp node{index[*event], std::nullopt};
    const auto name = events_[*inner].start.name;
    if (name != events_[*event].start.name) node.inner_op = name;
    result.nodes.emplace(nodes[i], node);
  }
  return result;
}

}  // namespace graphtap::ops
