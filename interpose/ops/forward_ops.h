// Forward ops: the operators that the backward pass may go back through, from all captures, since a
// backward pass may be captured into another graph. An operator and those around and before it may
// have had one sequence number: the node of the backward pass is of the one that began last.
// Owner: the captures. Threads: any. Failure: bad_alloc. The oldest are forgotten.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "interpose/record/op_records.h"

namespace graphtap::ops {

enum class Kind : std::uint8_t { kLeaf, kComposite, kInner };

// What ties a node of the backward pass to its operator: equal in both, and in no other pair.
struct Sequence {
  std::uint64_t thread = 0, number = 0;
  auto operator<=>(const Sequence&) const = default;
};

struct ForwardOp {
  Sequence sequence;
  Kind kind = Kind::kLeaf;
  record::StringId name{};
  std::optional<record::StringId> scope{};
  std::uint32_t invocation = 0;
  std::optional<std::uint32_t> parent{};  // index among those that are added together
};

class ForwardOps {
 public:
  static constexpr std::size_t kMost = 1 << 16;

  // Of one capture, in the order of their begin.
  void Add(std::span<const ForwardOp> ops);

  // There is a node of the backward pass with this sequence.
  void Reach(const Sequence& sequence);

  // Whose gradient flows into that node: the names of the leaf that it goes back through and of the
  // composites around it whose last it is, the outermost first. nullopt: none is known.
  // When all nodes of a capture have been reached.
  std::optional<record::Gradient> Of(const Sequence& sequence) const;

 private:
  struct Known {
    ForwardOp op;                           // its parent is not used
    std::optional<std::uint64_t> parent{};  // number of the op around it
    std::uint64_t last = 0;                 // number of the last op inside it, or its own
  };
  const Known& At(std::uint64_t number) const { return ops_[number - first_]; }
  bool IsInside(std::uint64_t number, std::uint64_t around) const;
  bool IsLast(std::uint64_t number, std::uint64_t around) const;
  void ForgetOldest();

  mutable std::mutex mutex_;  // guards all below
  std::deque<Known> ops_;
  std::uint64_t first_ = 0;                   // number of the first in `ops_`
  std::map<Sequence, std::uint64_t> latest_;  // the op that began last with it
  std::set<std::uint64_t> reached_;
};

}  // namespace graphtap::ops
