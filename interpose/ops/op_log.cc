#include "interpose/ops/op_log.h"

#include <algorithm>
#include <map>
#include <utility>

#include "interpose/ops/node_positions.h"
#include "interpose/ops/tensors.h"

namespace graphtap::ops {
namespace {

Kind KindOf(std::uint32_t kind) {
  switch (kind) {
    case GRAPHTAP_OP_LEAF:
      return Kind::kLeaf;
    case GRAPHTAP_OP_INNER:
      return Kind::kInner;
    default:
      return Kind::kComposite;
  }
}

}  // namespace

Start StartOf(const GraphtapOp& op, record::StringId name) {
  Start start;
  start.kind = KindOf(op.kind);
  start.name = name;
  start.call = (op.flags & GRAPHTAP_OP_CALL) != 0;
  start.backward = (op.flags & GRAPHTAP_OP_BACKWARD) != 0;
  if ((op.flags & GRAPHTAP_OP_SEQUENCED) != 0) start.sequence = {op.thread, op.sequence};
  start.gradients = Tensors(op);
  if (op.parameter != 0) start.parameter = op.parameter;
  return start;
}

std::uint32_t AppendOps(const std::vector<record::Op>& more, std::vector<record::Op>* ops) {
  using Name = std::pair<std::optional<record::StringId>, record::StringId>;
  std::map<Name, std::uint32_t> seen;
  for (const record::Op& op : *ops) {
    auto& next = seen[{op.scope, op.name}];
    next = std::max(next, op.invocation + 1);
  }
  const auto first = static_cast<std::uint32_t>(ops->size());
  for (record::Op op : more) {
    if (op.parent) *op.parent += first;
    const auto before = seen.find({op.scope, op.name});
    if (before != seen.end()) op.invocation += before->second;
    ops->push_back(std::move(op));
  }
  return first;
}

void Append(GraphOps more, GraphOps* ops) {
  const std::uint32_t first = AppendOps(more.ops, &ops->ops);
  for (auto& [handle, node] : more.nodes) {
    node.op += first;
    ops->nodes[handle] = node;
  }
  for (Arrival arrival : more.arrivals) {
    arrival.op += first;
    ops->arrivals.push_back(arrival);
  }
  ops->stacks.merge(more.stacks);
}

std::uint32_t OpLog::Begin(Start start, Edge edge) {
  const std::lock_guard lock(mutex_);
  edges_.push_back(std::move(edge));
  Event& event = events_.emplace_back();
  event.start = std::move(start);
  event.begin = edges_.size() - 1;
  return static_cast<std::uint32_t>(events_.size() - 1);
}

void OpLog::End(std::uint32_t op, Edge edge, std::vector<record::Tensor> tensors) {
  const std::lock_guard lock(mutex_);
  edges_.push_back(std::move(edge));
  events_[op].end = edges_.size() - 1;
  events_[op].tensors = std::move(tensors);
}

void OpLog::Launch(CUgraphNode node, record::StackId stack) {
  const std::lock_guard lock(mutex_);
  stacks_.emplace(node, stack);
}

// How many nodes there were at each edge.
std::vector<std::size_t> OpLog::Cuts(std::span<const CUgraphNode> nodes,
                                     std::size_t existing) const {
  if (edges_.empty()) return {};
  const NodePositions positions(nodes);
  std::vector<std::size_t> cuts;
  std::size_t cut = existing;
  for (const Edge& edge : edges_) {
    for (CUgraphNode node : edge.newest) {
      const auto found = positions.Find(node);
      if (found) cut = std::max(cut, std::size_t{*found} + 1);
    }
    cuts.push_back(cut);
  }
  return cuts;
}

std::vector<OpLog::Interval> OpLog::Moments(std::span<const CUgraphNode> nodes,
                                            std::size_t existing, Interval capture) const {
  const std::lock_guard lock(mutex_);
  const auto cuts = Cuts(nodes, existing);
  std::vector<Interval> moments;
  std::size_t behind = 0;  // the first edge that has the node before it
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    while (behind < cuts.size() && cuts[behind] <= i) ++behind;
    moments.push_back({behind == 0 ? capture.begin : edges_[behind - 1].moment,
                       behind == cuts.size() ? capture.end : edges_[behind].moment});
  }
  return moments;
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
    if (!events_[e].tensors.empty() || !events_[e].start.gradients.empty()) keep(e);
  }
  return kept;
}

// Of each event. Also those left out count, so that an op has the same number whether it added
// nodes or not.
std::vector<std::uint32_t> OpLog::Invocations() const {
  std::map<std::pair<std::optional<record::StringId>, record::StringId>, std::uint32_t> seen;
  std::vector<std::uint32_t> invocations;
  for (const Event& event : events_) {
    const bool counts = event.start.kind != Kind::kInner;
    invocations.push_back(counts ? seen[{event.start.scope, event.start.name}]++ : 0);
  }
  return invocations;
}

void OpLog::AddForward(const std::vector<std::uint32_t>& invocations, ForwardOps* forward) const {
  std::vector<ForwardOp> ops;
  std::vector<std::optional<std::uint32_t>> index(events_.size());  // in `ops`
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    const Start& start = events_[e].start;
    const auto around = start.parent ? index[*start.parent] : std::nullopt;
    index[e] = around;
    if (!start.sequence || !start.call) continue;
    index[e] = static_cast<std::uint32_t>(ops.size());
    ops.push_back({*start.sequence, start.kind, start.name, start.scope, invocations[e], around});
  }
  forward->Add(ops);
  for (const Event& event : events_) {
    if (event.start.backward && event.start.sequence) forward->Reach(*event.start.sequence);
  }
}

record::Op OpLog::OpOf(const Event& event, std::uint32_t invocation,
                       const ForwardOps& forward) const {
  const Start& start = event.start;
  record::Op op;
  op.kind = start.kind == Kind::kLeaf ? record::OpKind::kLeaf : record::OpKind::kComposite;
  op.name = start.name;
  op.scope = start.scope;
  op.invocation = invocation;
  op.tensors = event.tensors;
  op.stack = start.stack;
  if (start.gradients.empty()) return op;
  if (start.sequence) op.gradient = forward.Of(*start.sequence);
  if (!op.gradient) op.gradient = record::Gradient{{}, start.scope, invocation};
  op.gradient->names.push_back(start.name);
  op.gradient->parameter = start.parameter;
  op.tensors.insert(op.tensors.end(), start.gradients.begin(), start.gradients.end());
  return op;
}

Arrival OpLog::ArrivalOf(const Event& event, std::span<const CUgraphNode> nodes,
                         const std::vector<std::size_t>& cuts) const {
  Arrival arrival;
  const auto& newest = edges_[event.begin].newest;
  if (newest.size() == 1) arrival.before = newest.front();
  const std::size_t begin = cuts[event.begin];
  if (begin < (event.end ? cuts[*event.end] : nodes.size())) arrival.first = nodes[begin];
  return arrival;
}

GraphOps OpLog::Resolve(std::span<const CUgraphNode> nodes, std::size_t existing,
                        ForwardOps* forward) const {
  const std::lock_guard lock(mutex_);
  const auto cuts = Cuts(nodes, existing);
  const auto owners = Owners(cuts, nodes.size());
  const auto kept = Kept(owners);
  const auto invocations = Invocations();
  AddForward(invocations, forward);
  GraphOps result;
  result.stacks = stacks_;
  std::vector<std::uint32_t> index(events_.size());
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    const Event& event = events_[e];
    if (!kept[e]) continue;
    index[e] = static_cast<std::uint32_t>(result.ops.size());
    record::Op& op = result.ops.emplace_back(OpOf(event, invocations[e], *forward));
    if (event.start.parent) op.parent = index[*event.start.parent];
    if (!op.gradient) continue;
    result.arrivals.push_back(ArrivalOf(event, nodes, cuts));
    result.arrivals.back().op = index[e];
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
