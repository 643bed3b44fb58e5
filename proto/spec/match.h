// Match: does a selector of a specification mean this node, and its operand this one?
// Pure functions over what the caller knows, any thread, no failure, no allocation.
// Units: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/spec/specification.h"

namespace graphtap::spec {

// What is known of a node; empty where it has no such thing.
struct NodeFacts {
  std::string_view kind;  // "kernel", "memcpy", "memset", …
  std::string_view kernel_short, kernel_demangled, kernel_mangled;
  std::string_view scope;  // path of ranges, "forward/attention"
  std::string_view place;  // "<graph key>/<path>", "train_step#0/17"
};

enum class OperandRole : std::uint8_t { kArgument, kDestination, kSource };

// Without regard to the selector's operand. No node has an op or a gradient in this release.
bool SelectorMatches(const Selector& selector, const NodeFacts& facts) noexcept;

// `parameter`, `offset`: of an argument, as it is named: an offset only inside a parameter that is
// larger than a pointer.
bool OperandMatches(const OperandName& name, OperandRole role,
                    std::optional<std::uint32_t> parameter,
                    std::optional<std::uint32_t> offset) noexcept;

}  // namespace graphtap::spec
