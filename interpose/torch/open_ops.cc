#include "interpose/torch/open_ops.h"

namespace graphtap::torch {

std::uint64_t OpenOps::Begin(GraphtapOpKind kind) {
  ops_.push_back({last_ + 1, kind, false});
  ++last_;
  if (kind == GRAPHTAP_OP_LEAF) leaf_ = last_;
  return last_;
}

std::optional<GraphtapOpKind> OpenOps::Find(std::uint64_t number) const noexcept {
  for (auto op = ops_.rbegin(); op != ops_.rend() && op->number >= number; ++op) {
    if (op->number == number) return op->kind;
  }
  return std::nullopt;
}

bool OpenOps::PopInside(std::uint64_t number) noexcept {
  if (ops_.empty() || ops_.back().number <= number) return false;
  Pop();
  return true;
}

bool OpenOps::PopEnded() noexcept {
  if (elsewhere_.load(std::memory_order_acquire)) NoteEnded();
  if (ops_.empty() || !ops_.back().ended) return false;
  Pop();
  return true;
}

void OpenOps::Pop() noexcept {
  if (ops_.back().number == leaf_) leaf_ = 0;
  ops_.pop_back();
}

void OpenOps::EndElsewhere(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  ended_elsewhere_.push_back(number);
  elsewhere_.store(true, std::memory_order_release);
}

void OpenOps::NoteEnded() noexcept {
  const std::lock_guard lock(mutex_);
  elsewhere_.store(false, std::memory_order_relaxed);
  for (const std::uint64_t number : ended_elsewhere_) {
    for (Op& op : ops_) op.ended |= op.number == number;
  }
  ended_elsewhere_.clear();
}

void OpenOps::Clear() noexcept {
  ops_.clear();
  leaf_ = 0;
}

}  // namespace graphtap::torch
