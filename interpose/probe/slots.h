// Slots: the pieces of device memory that the probes of one executable write into, one for each
// sampled replay that is in flight. Owner: the shadow, and every replay in flight: memory goes back
// to the device when the last of them has let go. Threads: any; one lock.
// Failure: no slot is nullptr. Units: bytes, nanoseconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "interpose/probe/device.h"
#include "interpose/probe/layout.h"

namespace graphtap::probe {

// What the values in a slot mean; shared by the replays that were launched with it.
struct Observed {
  std::uint32_t executable = 0;
  Plan plan;
  Layout layout;
  std::vector<record::SiteId> sites;  // of the plan's sites
  // How many sites each rule has among them.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> rules;
};

// One replay on its way through a slot.
struct Replay {
  std::shared_ptr<const Observed> observed;
  std::uint64_t number = 0;  // of the executable's replays; 0: none was launched
  std::uint64_t stamp = 0;   // that the head node was given
  record::StreamId stream{};
  record::ThreadId thread{};
  std::uint64_t time_ns = 0;
};

// Lives, with its event, as long as its set; its memory may go and come.
struct Slot {
  std::uint64_t address = 0;  // 0: no memory
  std::uint64_t bytes = 0;
  CUevent event = nullptr;  // behind the launch; nullptr until the first
  Replay replay;
  std::atomic<std::uint64_t> launches{0}, arrivals{0};  // equal: nothing is in flight
};

inline constexpr std::size_t kMostSlots = 64;

class SlotSet {
 public:
  // Whoever calls the constructor, Take or Prepare has the device's context current and is in
  // relaxed capture mode.
  SlotSet(session::Session& session, Device& device);
  ~SlotSet();

  // Memory of the executable's Cell, the same at every call. False: the device has none.
  bool TakeCell();
  std::uint64_t cell() const noexcept;

  // From now on slots have this size. Free ones of another size go.
  void SetSlotBytes(std::uint64_t bytes) noexcept;

  // Makes free slots, up to `count`; false: there is not even one.
  bool Prepare(std::size_t count);

  // A free slot; without one, a new one, and if there can be none, waits until one is given back,
  // at most `limit`: but not at all after three times in vain, until one was.
  Slot* Take(std::chrono::milliseconds limit);
  void Give(Slot* slot) noexcept;

  // Frees what nobody uses now, for others.
  void Shrink() noexcept;

  // No more launches: memory is freed as soon as nothing is in flight.
  void Close() noexcept;

  Device& device() const { return device_; }

 private:
  Slot* TakeFree();
  Slot* Make();
  Slot* MakeEmpty();
  void DropMemory(Slot* slot) noexcept;
  void DropFree() noexcept;
  void DropCell() noexcept;

  session::Session& session_;
  Device& device_;
  mutable std::mutex mutex_;  // guards all below
  std::uint64_t cell_ = 0;
  std::condition_variable given_;
  std::uint64_t slot_bytes_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_;   // with memory
  std::vector<Slot*> empty_;  // without
  unsigned in_vain_ = 0;
  bool closed_ = false;
};

}  // namespace graphtap::probe
