#include "proto/spec/match.h"

namespace graphtap::spec {
namespace {

bool HasSites(std::string_view kind) noexcept {
  return kind == "kernel" || kind == "memcpy" || kind == "memset";
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

}  // namespace

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
    case OperandName::Kind::kInput:
      break;
  }
  return false;
}

}  // namespace graphtap::spec
