// Drain: the thread that takes the values of finished replays off the device, into the run file.
// It polls the events behind the launches while there are any, so that a stream that hangs holds
// back nobody. Owner: the shadows; leaked with them. Threads: Add from any, which never waits.
// Failure: what cannot be had is counted, and its replay recorded as lost.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "interpose/probe/decode.h"
#include "interpose/probe/slots.h"

namespace graphtap::probe {

// A replay that was launched into a slot of a set.
struct Pending {
  std::shared_ptr<SlotSet> slots;
  Slot* slot = nullptr;
};

// Records what became of a due replay: it was observed, or why it was not. Of one without a number,
// which was not launched in the end, nothing.
void RecordDue(session::Session& session, const Replay& replay, std::optional<Loss> lost) noexcept;

class Drain {
 public:
  Drain(session::Session& session, values::Actions& actions)
      : session_(session), actions_(actions) {}

  // What ends the job when a check has failed and it is to end: called on the drain's thread, which
  // has settled what had arrived. Before Start.
  void OnMustEnd(std::function<void()> end) { on_must_end_ = std::move(end); }

  // Starts the thread; again, does nothing. False: there can be none.
  bool Start() noexcept;

  void Add(Pending pending) noexcept;

  // Until all replays of `device` (nullptr: of all) have arrived, at most until `deadline`.
  void Wait(const Device* device, std::chrono::steady_clock::time_point deadline) noexcept;
  // The same; those that have not arrived by then are lost. Of one device: afterwards the thread
  // leaves its events and staging memory alone.
  void Finish(const Device* device, std::chrono::steady_clock::time_point deadline) noexcept;

  // Until Resume nothing is looked at: a context may end, and with it events and staging memory.
  // Waits for the thread to leave them alone, at most until `deadline`.
  void Pause(std::chrono::steady_clock::time_point deadline) noexcept;
  void Resume() noexcept;

  // Ends the thread; false: it is stuck in the driver. Call Finish before.
  bool Stop(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  using Batch = std::list<Pending>;
  void Run() noexcept;
  void Look(Batch* batch) noexcept;
  void LookAt(Device& device, Batch* batch);
  void Read(Device& device, std::vector<Pending*>& arrived);
  void ReadTogether(Device& device, std::span<Pending*> arrived);
  void ReadLarge(Device& device, Pending& pending);
  Decoded TryDecode(const Replay& replay, const SlotReader& read) noexcept;
  bool Copy(Device& device, std::byte* to, std::uint64_t from, std::uint64_t bytes) noexcept;
  void Settle(Pending& pending, std::optional<Loss> lost) noexcept;
  bool HasPending(const Device* device) const noexcept;

  session::Session& session_;
  values::Actions& actions_;
  std::function<void()> on_must_end_;
  std::mutex mutex_;  // guards all below
  std::condition_variable work_, settled_;
  Batch pending_;
  bool looking_ = false;                   // the thread has taken what was pending, to look at it
  std::atomic<std::size_t> looked_at_{0};  // of these, not yet settled
  int paused_ = 0;                         // by so many
  bool idle_ = false;                      // the thread has nothing to poll: it is to be woken
  bool started_ = false, stopping_ = false, stopped_ = false;
};

}  // namespace graphtap::probe
