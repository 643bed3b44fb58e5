#include "interpose/ops/thread_ops.h"

#include <algorithm>
#include <vector>

#include "interpose/threads/thread_owned.h"

namespace graphtap::ops {
namespace {

struct Stack {
  std::vector<OpenOp> ops;
  std::uint32_t unkept = 0;  // pushed on top, but there was no memory
};

using Own = threads::ThreadOwned<Stack>;

std::optional<std::uint32_t> InnermostWith(std::uint64_t OpenOp::* member,
                                           std::uint64_t value) noexcept {
  const Stack* stack = Own::Get();
  if (stack == nullptr) return std::nullopt;
  for (auto op = stack->ops.rbegin(); op != stack->ops.rend(); ++op) {
    if ((*op).*member == value) return op->number;
  }
  return std::nullopt;
}

}  // namespace

void Push(const OpenOp& op) noexcept {
  try {
    Stack& stack = Own::GetOrMake();
    if (stack.unkept == 0) {
      stack.ops.push_back(op);
      return;
    }
  } catch (...) {
  }
  if (Stack* stack = Own::Get()) ++stack->unkept;
}

std::optional<OpenOp> Pop() noexcept {
  Stack* stack = Own::Get();
  if (stack == nullptr) return std::nullopt;
  if (stack->unkept > 0) {
    --stack->unkept;
    return std::nullopt;
  }
  if (stack->ops.empty()) return std::nullopt;
  const OpenOp op = stack->ops.back();
  stack->ops.pop_back();
  return op;
}

const OpenOp* Current() noexcept {
  const Stack* stack = Own::Get();
  if (stack == nullptr || stack->ops.empty()) return nullptr;
  for (const OpenOp& op : stack->ops) {
    if (op.leaf) return &op;
  }
  return &stack->ops.back();
}

bool InLeaf() noexcept {
  const Stack* stack = Own::Get();
  return stack != nullptr && std::any_of(stack->ops.begin(), stack->ops.end(),
                                         [](const OpenOp& op) { return op.leaf; });
}

std::optional<std::uint32_t> Innermost(std::uint64_t capture) noexcept {
  return InnermostWith(&OpenOp::capture, capture);
}

std::optional<std::uint32_t> InnermostOfStep(std::uint64_t step) noexcept {
  return InnermostWith(&OpenOp::step, step);
}

}  // namespace graphtap::ops
