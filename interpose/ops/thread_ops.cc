#include "interpose/ops/thread_ops.h"

#include <pthread.h>

#include <vector>

namespace graphtap::ops {
namespace {

struct Stack {
  std::vector<OpenOp> ops;
  std::uint32_t unkept = 0;  // pushed on top, but there was no memory
};

// A plain pointer: see nvtx/ranges.cc.
thread_local Stack* t_stack = nullptr;

struct Key {
  pthread_key_t key = 0;
  bool made = false;
};

Key MakeKey() {
  Key key;
  key.made = pthread_key_create(&key.key, [](void* stack) {
               t_stack = nullptr;
               delete static_cast<Stack*>(stack);
             }) == 0;
  return key;
}

Stack& Own() {
  static const Key kKey = MakeKey();
  if (t_stack == nullptr) {
    t_stack = new Stack;
    if (kKey.made) pthread_setspecific(kKey.key, t_stack);
  }
  return *t_stack;
}

}  // namespace

void Push(const OpenOp& op) noexcept {
  try {
    Stack& stack = Own();
    if (stack.unkept == 0) {
      stack.ops.push_back(op);
      return;
    }
  } catch (...) {
  }
  if (t_stack != nullptr) ++t_stack->unkept;
}

std::optional<OpenOp> Pop() noexcept {
  if (t_stack == nullptr) return std::nullopt;
  if (t_stack->unkept > 0) {
    --t_stack->unkept;
    return std::nullopt;
  }
  if (t_stack->ops.empty()) return std::nullopt;
  const OpenOp op = t_stack->ops.back();
  t_stack->ops.pop_back();
  return op;
}

std::optional<record::StringId> CurrentOp() noexcept {
  if (t_stack == nullptr || t_stack->ops.empty()) return std::nullopt;
  for (const OpenOp& op : t_stack->ops) {
    if (op.leaf) return op.name;
  }
  return t_stack->ops.back().name;
}

std::optional<std::uint32_t> Innermost(std::uint64_t capture) noexcept {
  if (t_stack == nullptr) return std::nullopt;
  for (auto op = t_stack->ops.rbegin(); op != t_stack->ops.rend(); ++op) {
    if (op->capture == capture) return op->number;
  }
  return std::nullopt;
}

}  // namespace graphtap::ops
