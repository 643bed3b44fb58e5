#include "interpose/ops/forward_ops.h"

#include <algorithm>

namespace graphtap::ops {

void ForwardOps::Add(std::span<const ForwardOp> ops) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t first = first_ + ops_.size();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::uint64_t number = first + i;
    Known& known = ops_.emplace_back(Known{ops[i], std::nullopt, number});
    if (ops[i].parent) known.parent = first + *ops[i].parent;
    for (auto around = known.parent; around; around = At(*around).parent) {
      ops_[*around - first_].last = number;
    }
    latest_[ops[i].sequence] = number;
  }
  while (ops_.size() > kMost) ForgetOldest();
}

void ForwardOps::ForgetOldest() {
  const auto latest = latest_.find(ops_.front().op.sequence);
  if (latest != latest_.end() && latest->second == first_) latest_.erase(latest);
  reached_.erase(first_);
  ops_.pop_front();
  ++first_;
}

void ForwardOps::Reach(const Sequence& sequence) {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(sequence);
  if (found != latest_.end()) reached_.insert(found->second);
}

bool ForwardOps::IsInside(std::uint64_t number, std::uint64_t around) const {
  for (std::optional at = number; at && *at >= std::max(around, first_); at = At(*at).parent) {
    if (*at == around) return true;
  }
  return false;
}

// Behind it the backward pass reaches no other that `around` has inside.
bool ForwardOps::IsLast(std::uint64_t number, std::uint64_t around) const {
  const std::uint64_t end = At(around).last;
  for (auto at = reached_.upper_bound(number); at != reached_.end() && *at <= end; ++at) {
    if (IsInside(*at, around)) return false;
  }
  return true;
}

std::optional<record::Gradient> ForwardOps::Of(const Sequence& sequence) const {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(sequence);
  if (found == latest_.end()) return std::nullopt;
  record::Gradient gradient;
  for (std::optional at = found->second; at && *at >= first_; at = At(*at).parent) {
    if (!IsLast(found->second, *at)) break;
    const ForwardOp& op = At(*at).op;
    if (op.kind == Kind::kInner) continue;
    gradient.names.insert(gradient.names.begin(), op.name);
    gradient.scope = op.scope;
    gradient.invocation = op.invocation;
  }
  if (gradient.names.empty()) return std::nullopt;
  return gradient;
}

}  // namespace graphtap::ops
