// Allocator log: what the adapter has told of the framework's allocator, and the same by replay of
// the events since the first state. Owner: the process. Threads: any. Failure: a failed expectation
// for a state that contradicts itself; events that cannot be are counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "interpose/abi/allocator.h"

namespace graphtap::adapter_test {

struct LiveBlock {
  std::uint64_t requested = 0;
  std::uint32_t state = GRAPHTAP_BLOCK_FREE;
  int device = -1;
  void* stream = nullptr;
  std::uint64_t pool_first = 0, pool_second = 0;

  bool operator==(const LiveBlock&) const = default;
};

struct Picture {
  std::map<std::uint64_t, LiveBlock> blocks;      // by address, those that are not free
  std::map<std::uint64_t, std::uint64_t> memory;  // begin and end of what comes from CUDA, merged

  void AddMemory(std::uint64_t begin, std::uint64_t bytes);
  void RemoveMemory(std::uint64_t begin, std::uint64_t bytes);
};

// What differs, a line for the first few; empty: nothing.
std::string Differences(const Picture& one, const Picture& other);

struct AllocatorLog {
  std::vector<GraphtapAllocatorEvent> events;
  int impossible = 0;  // events, such as the free of a block that is not there
  int states = 0;
  Picture replayed;  // from the first state on
  Picture last_state;
  std::uint32_t expandable_segments = 0;  // in the last state
  std::vector<std::string> reasons;       // why there is nothing to tell
  std::vector<GraphtapOutOfMemory> failures;
  std::string differences_at_failure;  // of the state that was asked for then

  std::size_t CountOf(GraphtapAllocatorAction action) const;
};

// A copy, since the beginning of the process.
AllocatorLog ReadLog();

// For the host.
void LogEvent(const GraphtapAllocatorEvent* event);
void LogState(const GraphtapAllocatorState* state);
void LogReason(const char* why);
void LogFailure(const GraphtapOutOfMemory* failure);

}  // namespace graphtap::adapter_test
