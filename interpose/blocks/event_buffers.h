// Event buffers: the events of the allocator that wait for the writer thread, in their order. Each
// buffer is small enough to stay in a processor's cache, and is used again once it was written.
// Owner: the allocator log. Threads: under its lock. Failure: bad_alloc before anything changed; no
// room is said. Units: events, ns.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interpose/abi/allocator.h"
#include "interpose/record/allocator_records.h"

namespace graphtap::blocks {

// Where memory is: few, of many events.
struct Place {
  std::uint32_t device = 0;
  std::uint64_t stream = 0;
  record::Pool pool{};
};

// What the adapter does not tell of an event.
struct Circumstances {
  std::uint64_t number = 0, time_ns = 0;
  record::ThreadId thread{};
  std::optional<record::StringId> op{};
  std::optional<record::StackId> stack{};
};

// Small, because a million may wait. Its number follows from where it stands in a buffer.
struct WaitingEvent {
  std::uint64_t address, bytes;
  std::uint64_t time_ns;
  record::ThreadId thread;
  record::StringId op;    // if it has one
  record::StackId stack;  // the same
  std::uint16_t place;
  record::AllocatorAction action;
  bool has_op : 1, has_stack : 1;
};
static_assert(sizeof(WaitingEvent) == 40);

record::AllocatorEvent RecordOf(const GraphtapAllocatorEvent& event, const Circumstances& when);

// Events whose numbers follow each other.
struct EventBuffer {
  std::uint64_t first = 0;
  std::vector<Place> places;
  std::vector<WaitingEvent> events;

  record::AllocatorEvent At(std::size_t index) const;
  void Clear();
};

class EventBuffers {
 public:
  static constexpr std::size_t kMostInBuffer = 4096, kMostPlaces = 64;

  // `bytes`: that may wait.
  explicit EventBuffers(std::uint64_t bytes);

  enum class Added : std::uint8_t {
    kYes,
    kIntoNext,  // nothing more goes into the buffer before
    kNo,        // there is no room
  };
  Added Add(const GraphtapAllocatorEvent& event, const Circumstances& when);

  // What waits, the oldest first: the full buffers, or all.
  enum class Which : std::uint8_t { kFull, kAll };
  std::vector<EventBuffer> Take(Which which);
  // One that was written, to be used again.
  void GiveBack(EventBuffer buffer);

 private:
  bool Follows(std::uint64_t number) const;
  bool SetPlace(const GraphtapAllocatorEvent& event);
  bool Next();
  EventBuffer Spare();

  const std::size_t per_buffer_, most_buffers_;
  EventBuffer buffer_;
  std::uint16_t place_ = 0;  // of the last event
  std::vector<EventBuffer> full_, spare_;
};

}  // namespace graphtap::blocks
