// Open ops: what has begun on a thread and has not ended, outermost first, and which unit of naming
// each is. Events should nest; a range that ends late, out of order or on another thread must not
// break the order for the others. Owner: the thread. Threads: one, but EndElsewhere() is for the
// others. Failure: bad_alloc from Begin() and EndElsewhere(), then nothing is changed.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "interpose/abi/adapter.h"

namespace graphtap::torch {

class OpenOps {
 public:
  // Of one that began now. `transparent`: what is inside is named, not itself.
  GraphtapOpKind KindOf(bool transparent) const noexcept {
    if (leaf_ != 0) return GRAPHTAP_OP_INNER;
    return transparent ? GRAPHTAP_OP_COMPOSITE : GRAPHTAP_OP_LEAF;
  }

  // Returns its number, which no other gets.
  std::uint64_t Begin(GraphtapOpKind kind);

  // The kind, if it is still open.
  std::optional<GraphtapOpKind> Find(std::uint64_t number) const noexcept;

  // Takes the innermost out if it lies inside `number`, or has ended already elsewhere, and true;
  // false when the innermost is `number`, or nothing that has ended.
  bool PopInside(std::uint64_t number) noexcept;
  bool PopEnded() noexcept;
  // Takes the innermost out.
  void Pop() noexcept;

  // From another thread: PopEnded() will take it out.
  void EndElsewhere(std::uint64_t number);

  // Before another thread gets this.
  void Clear() noexcept;

 private:
  struct Op {
    std::uint64_t number;
    GraphtapOpKind kind;
    bool ended;
  };
  void NoteEnded() noexcept;

  std::vector<Op> ops_;
  std::uint64_t last_ = 0;
  std::uint64_t leaf_ = 0;  // number of the open leaf; 0: none
  std::atomic<bool> elsewhere_{false};
  std::mutex mutex_;
  std::vector<std::uint64_t> ended_elsewhere_;
};

}  // namespace graphtap::torch
