#include "proto/spec/match.h"

#include <algorithm>

namespace graphtap::spec {
namespace {

bool HasSites(std::string_view kind) noexcept {
  return kind == "kernel" || kind == "memcpy" || kind == "memset" || kind == "operator";
}

bool KernelMatches(std::string_view pattern, const NodeFacts& facts) noexcept {
  return facts.kind == "kernel" &&
         (Matches(pattern, facts.kernel_short) || Matches(pattern, facts.kernel_demangled) ||
          Matches(pattern, facts.kernel_mangled));
}

// "a/b/c" is in a, in a/b and in a/b/c; a node in no scope is in none.
bool ScopeMatches(std::string_view pattern, std::string_view scope) noexcept {
  if (scope.empty()) return false;
  for (auto end = scope.find('/'); end != std::string_view::npos; end = scope.find('/', end + 1)) {
    if (Matches(pattern, scope.substr(0, end))) return true;
  }
  return Matches(pattern, scope);
}

// "aten::add.Tensor" is also "aten::add".
bool OpMatches(std::string_view pattern, std::string_view op) noexcept {
  if (Matches(pattern, op)) return true;
  const auto name = op.rfind("::"), overload = op.rfind('.');
  return name != std::string_view::npos && overload != std::string_view::npos && overload > name &&
         Matches(pattern, op.substr(0, overload));
}

bool AnyOpMatches(std::string_view pattern, std::span<const std::string_view> ops) noexcept {
  return std::any_of(ops.begin(), ops.end(),
                     [&](std::string_view op) { return OpMatches(pattern, op); });
}

// `grad:X`, `grad:X.out0`, `grad:X.grad0` and `op:X.grad0`.
bool SelectsGradient(const Selector& selector, const OperandFacts& operand) noexcept {
  using Kind = OperandName::Kind;
  const bool by_op = selector.kind == SelectorKind::kOp;
  if (!by_op && selector.kind != SelectorKind::kGrad) return false;
  if (!AnyOpMatches(selector.pattern, operand.gradient_of)) return false;
  if (!selector.operand) return !by_op;
  const bool named = selector.operand->kind == Kind::kGradient ||
                     (!by_op && selector.operand->kind == Kind::kOutput);
  return named && operand.parameter == selector.operand->index;
}

bool IsOfOp(OperandRole role) noexcept {
  return role == OperandRole::kOutput || role == OperandRole::kInput;
}

// What a selector means that names no operand.
bool IsMeant(SelectorKind kind, OperandRole role, bool op_has_tensors) noexcept {
  switch (kind) {
    case SelectorKind::kAll:
    case SelectorKind::kScope:
      return IsOfOp(role) == op_has_tensors;
    case SelectorKind::kOp:
      return IsOfOp(role);
    default:
      return !IsOfOp(role);
  }
}

}  // namespace

bool Selects(const Selector& selector, const NodeFacts& facts,
             const OperandFacts& operand) noexcept {
  if (operand.role == OperandRole::kGradient) return SelectsGradient(selector, operand);
  if (!SelectorMatches(selector, facts)) return false;
  if (!selector.operand) return IsMeant(selector.kind, operand.role, facts.op_has_tensors);
  return OperandMatches(*selector.operand, operand.role, operand.parameter, operand.offset);
}

bool SelectorMatches(const Selector& selector, const NodeFacts& facts) noexcept {
  switch (selector.kind) {
    case SelectorKind::kAll:
      return HasSites(facts.kind);
    case SelectorKind::kKernel:
      return KernelMatches(selector.pattern, facts);
    case SelectorKind::kScope:
      return ScopeMatches(selector.pattern, facts.scope);
    case SelectorKind::kNode:
      return Matches(selector.pattern, facts.place) || Matches(selector.pattern, facts.kind);
    case SelectorKind::kOp:
      return HasSites(facts.kind) && AnyOpMatches(selector.pattern, facts.ops);
    case SelectorKind::kGrad:
      break;
  }
  return false;
}

bool OperandMatches(const OperandName& name, OperandRole role,
                    std::optional<std::uint32_t> parameter,
                    std::optional<std::uint32_t> offset) noexcept {
  switch (name.kind) {
    case OperandName::Kind::kArgument:
      return role == OperandRole::kArgument && parameter == name.index &&
             (!name.offset || offset == name.offset);
    case OperandName::Kind::kDestination:
      return role == OperandRole::kDestination;
    case OperandName::Kind::kSource:
      return role == OperandRole::kSource;
    case OperandName::Kind::kOutput:
      return role == OperandRole::kOutput && parameter == name.index;
    case OperandName::Kind::kInput:
      return role == OperandRole::kInput && parameter == name.index;
    case OperandName::Kind::kGradient:
      return role == OperandRole::kGradient && parameter == name.index;
  }
  return false;
}

}  // namespace graphtap::spec
