// History: the blocks of the framework's allocator over the time of one capture, so that each
// node's pointers find the blocks that were live when the node was added; later they belong to
// others. Owner: shared by the graph's hints, constant. Threads: any. Failure: bad_alloc. Units:
// bytes; a moment is a number of allocator events.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "interpose/record/allocator_records.h"

namespace graphtap::blocks {

struct History {
  std::uint64_t first = 0;                     // the moment that it begins at
  std::vector<record::OperandBlock> at_first;  // blocks that were not free then
  std::vector<record::AllocatorEvent> events;  // in order; number `first` is the first
  bool complete = true;                        // else nothing can be said
};

// What one node needs to know: it was added between two moments.
struct Interval {
  std::shared_ptr<const History> history;
  std::uint64_t begin = 0, end = 0;
};

// Walks through a history. Owner: the caller; one thread.
class LiveBlocks {
 public:
  explicit LiveBlocks(const History& history);

  // To the blocks that were live at any time between two moments. Later calls do not go back.
  void MoveTo(std::uint64_t begin, std::uint64_t end);

  // The block that holds the address; nullptr: none does.
  std::shared_ptr<const record::OperandBlock> Find(std::uint64_t address);

 private:
  void Give(const record::AllocatorEvent& event);

  const History& history_;
  std::uint64_t at_;  // events before it are applied; of later ones only what was given out
  // Few of the blocks that are given out are found.
  struct Live {
    record::OperandBlock block;
    std::shared_ptr<const record::OperandBlock> shared{};  // the same, once it was found
  };
  std::map<std::uint64_t, Live> live_;  // by address
};

}  // namespace graphtap::blocks
