// Allocator: what one process's framework did with device memory: its events, held against its
// states while a file is read, so that neither is kept. Owner: the Process. Threads: one while it
// is made, read-only then. Failure: none. Units: bytes; a moment is a number of events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "proto/trace.pb.h"

namespace graphtap::model {

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
  std::uint64_t different = 0;
  std::vector<BlockDifference> differences;  // the first ten
};

struct Allocator {
  std::map<AllocatorEvent::Action, std::uint64_t> by_action;
  std::uint64_t events = 0, states = 0;
  std::vector<StateCheck> checks;  // by moment
};

// Applies the events to each such state and compares it with the next one: address, requested size,
// pool, stream and state of all blocks that are not free.
class AllocatorReplay {
 public:
  // In the order of their numbers, as they stand in a file; one that comes late is only counted.
  void Add(const AllocatorEvent& event);
  // Before the event that follows it, as it stands in a file; one that comes late is only counted.
  void Add(const AllocatorState& state);

  Allocator Finish();

 private:
  struct Live {
    std::uint64_t requested = 0, stream = 0, pool_first = 0, pool_second = 0;
    bool pending = false;

    bool Is(const Live& there) const;
  };
  using LiveBlocks = std::map<std::uint64_t, Live>;  // by address
  struct Waiting {
    std::string label;
    LiveBlocks blocks;
  };

  static LiveBlocks BlocksOf(const AllocatorState& state);
  static std::string Difference(const Live& expected, const Live& there);
  void Apply(const AllocatorEvent& event);
  void AdvanceTo(std::uint64_t moment);
  void Check(std::uint64_t moment, Waiting state);
  void Compare(const LiveBlocks& there, StateCheck* check) const;

  Allocator allocator_;
  std::multimap<std::uint64_t, Waiting> waiting_;  // by moment
  LiveBlocks blocks_;
  bool begun_ = false;
  std::uint64_t next_ = 0;  // number of the next event
  std::uint64_t lost_ = 0;  // since the last state
};

}  // namespace graphtap::model
