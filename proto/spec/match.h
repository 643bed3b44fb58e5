// Match: does a selector of a specification mean this node, and its operand this one?
// Pure functions over what the caller knows, any thread, no failure, no allocation.
// Units: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "proto/spec/specification.h"

namespace graphtap::spec {

// What is known of a node; empty where it has no such thing.
struct NodeFacts {
  std::string_view kind;  // "kernel", "memcpy", "memset", …
  std::string_view kernel_short, kernel_demangled, kernel_mangled;
  std::string_view scope;  // path of ranges, "forward/attention"
  std::string_view place;  // "<graph key>/<path>", "train_step#0/17"
  // The operator that added the node, then those around it: "aten::add.Tensor".
  std::span<const std::string_view> ops;
  bool op_has_tensors = false;  // it is known what that operator gave or wrote
};

enum class OperandRole : std::uint8_t {
  kArgument,
  kDestination,
  kSource,
  kOutput,
  kInput,
  kGradient,
};

struct OperandFacts {
  OperandRole role = OperandRole::kArgument;
  std::optional<std::uint32_t> parameter, offset;  // as OperandMatches takes them
  // Of a gradient: the operators whose output it is the gradient of, and the backward node.
  std::span<const std::string_view> gradient_of{};
};

// Does it mean this operand of this node? `all` and `scope` without an operand mean an operator's
// tensors where they are known, and else what the node itself names; `op` means only the former,
// `kernel` and `node` only the latter. None of them means gradients: `grad` does, also as the
// outputs that they belong to, and `op` with `.gradN`.
bool Selects(const Selector& selector, const NodeFacts& facts,
             const OperandFacts& operand) noexcept;

// Without regard to the operand; gradients are not known by their node.
bool SelectorMatches(const Selector& selector, const NodeFacts& facts) noexcept;

// `parameter`: of an argument, or the number of an output, input or gradient. `offset`: of an
// argument, as it is named: only inside a parameter that is larger than a pointer.
bool OperandMatches(const OperandName& name, OperandRole role,
                    std::optional<std::uint32_t> parameter,
                    std::optional<std::uint32_t> offset) noexcept;

}  // namespace graphtap::spec
