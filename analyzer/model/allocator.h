// Allocator: what one process's framework did with device memory: its events in order, and its
// states at some moments, held against each other. Owner: the Process. Threads: read-only, any.
// Failure: none. Units: bytes; a moment is a number of events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/trace.pb.h"

namespace graphtap::model {

struct AllocatorEvent {
  std::uint64_t number = 0;
  std::uint64_t address = 0, bytes = 0, stream = 0;
  std::uint64_t pool_first = 0, pool_second = 0;
  std::uint64_t time_ns = 0;
  std::uint32_t device = 0, thread = 0, op = 0;  // op: id of a string, if has_op
  graphtap::AllocatorEvent::Action action{};
  bool has_op = false;
};

AllocatorEvent Compact(const graphtap::AllocatorEvent& record);

struct Allocator {
  std::vector<AllocatorEvent> events;            // by number
  std::vector<graphtap::AllocatorState> states;  // by moment
};

// A block that is live by the events and not in the state, the other way round, or otherwise.
struct BlockDifference {
  std::uint64_t address = 0;
  std::string why;  // "not in the state", "requested 512, then 1024"
};

// Of one state that nothing happened beside.
struct StateCheck {
  std::string label;
  std::uint64_t moment = 0;
  std::uint64_t blocks = 0;  // that are not free
  std::uint64_t lost = 0;    // events since the state before; then nothing is compared
  std::vector<BlockDifference> differences;
};

// The events applied to each such state, and compared with the next one: address, requested size,
// pool, stream and state of all blocks that are not free.
std::vector<StateCheck> CheckStates(const Allocator& allocator);

}  // namespace graphtap::model
