// Allocator log: what an adapter tells of the framework's allocator: every event goes to the file,
// and those during captures also into their histories. Owner: the observer. Threads: any; Add() is
// called under the allocator's lock and takes only its own, for nanoseconds. Failure: an event for
// which there is no room is a loss (buffer_full). Units: bytes; a moment is a number of events.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "interpose/abi/allocator.h"
#include "interpose/blocks/event_buffers.h"
#include "interpose/blocks/history.h"
#include "interpose/session/session.h"

namespace graphtap::blocks {

class AllocatorLog {
 public:
  explicit AllocatorLog(session::Session& session);

  // What makes the adapter tell of the state, before it returns and on the same thread.
  void SetTaker(std::function<void()> take) { take_ = std::move(take); }

  // What tells where the calling thread is in its Python code; without, events have no stacks.
  void SetStacks(std::function<std::optional<record::StackId>()> stack) {
    stack_ = std::move(stack);
  }

  void Add(const GraphtapAllocatorEvent& event) noexcept;
  // The state that was asked for; before the first event the one that it begins with.
  void OnState(const GraphtapAllocatorState& state);

  // Events so far.
  std::uint64_t Moment() const noexcept { return count_.load(std::memory_order_acquire); }

  // When a state is taken; `point`: its number, if that moment is one.
  struct When {
    std::string label;
    std::optional<std::uint64_t> point{};
  };

  // The history of a capture begins; nullptr: nothing is known of the allocator.
  std::shared_ptr<History> Begin(const When& when);
  // And ends.
  void End(History* history, const When& when);

  // The state alone, if there is one; waits for the allocator's lock.
  bool Tells() const noexcept { return started_.load(); }
  void TakeAt(const When& when);
  // The state that this thread waits for; false: it does not.
  static bool Answer(const GraphtapAllocatorState& state);

  // On the writer thread: what fills whole buffers, as soon as one is full; all, before a flush.
  void WriteEvents(EventBuffers::Which which);

 private:
  // In the histories that are open.
  void Keep(const GraphtapAllocatorEvent& event, const Circumstances& when);
  // One history less is open.
  void Close();
  void CloseLocked();
  // Records it; nullopt: the adapter does not tell.
  std::optional<record::AllocatorState> Take(const When& when);

  // False: too long. A signal handler that ends the process may have interrupted who has the lock.
  static bool TryLock(std::unique_lock<std::mutex>* lock);

  session::Session& session_;
  const std::uint64_t most_kept_;  // events of histories
  std::function<void()> take_;
  std::function<std::optional<record::StackId>()> stack_;
  std::atomic<bool> started_{false};
  std::atomic<std::uint64_t> count_{0};
  std::mutex mutex_;  // guards all below
  EventBuffers unwritten_;
  std::vector<record::AllocatorEvent> kept_;  // while a history is open
  bool kept_full_ = false;                    // events of open histories are missing
  std::size_t open_ = 0;
  std::uint64_t given_back_ = 0;  // address of the last event, if it was a free requested
  std::uint64_t time_ns_ = 0;     // of the last event
};

}  // namespace graphtap::blocks
