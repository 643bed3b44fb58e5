// Points: the named moments at which memory is looked at: which are wanted, what they are called,
// how often is too often, and the look: each device's memory, and the state of the framework's
// allocator. Most are taken on the job's thread before its call returns; what may have to wait for
// the allocator's lock is left to a thread of its own. Owner: the observer. Threads: any. Failure:
// what comes too fast is counted (point_lost, point_bare), what fails too (internal). Units: bytes,
// nanoseconds.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "interpose/blocks/allocator_log.h"
#include "interpose/points/contexts.h"
#include "interpose/points/labels.h"
#include "interpose/points/later.h"
#include "interpose/points/rate.h"
#include "interpose/record/point_records.h"
#include "interpose/session/session.h"

namespace graphtap::points {

class Points {
 public:
  // Of each kind of point but captures, in a second.
  static constexpr std::uint32_t kPointsPerSecond = 1000, kLooksPerSecond = 100,
                                 kStatesPerSecond = 10;
  static constexpr std::chrono::milliseconds kExitLimit{200};

  // Marks and ranges of NVTX are wanted, by the environment: asked before there is a session.
  static bool WantTexts() noexcept;

  Points(session::Session& session, blocks::AllocatorLog& allocator);

  const spec::Points& wanted() const noexcept { return wanted_; }

  // A mark; the edges of a range. The begin gives what the end is to be told: 0: it is no point.
  void OnMark(std::string_view text) noexcept;
  std::uint64_t OnRangeBegin(std::string_view text) noexcept;
  void OnRangeEnd(std::string_view text, std::uint64_t time) noexcept;

  // An edge of a capture. The caller takes the allocator's state, for the point of this number.
  std::optional<std::uint64_t> OnCapture(const std::string& label, record::PointEdge edge) noexcept;
  void OnInstantiate(std::uint32_t executable) noexcept;
  bool IsDue(std::uint64_t replay) const noexcept {
    return any_replays_ && wanted_.replays.Due(replay);
  }
  void OnReplay(std::uint32_t executable, std::uint64_t replay) noexcept;

  // The driver had no memory for a call; somebody's allocator may wait for it under its lock.
  void OnOutOfMemory(const char* call, std::uint64_t bytes) noexcept;
  // The framework's allocator had none, and has let go of its lock.
  void OnFrameworkOutOfMemory(std::uint64_t bytes) noexcept;

  // In a signal handler.
  void OnSignal() noexcept;
  void BeforeFlush() noexcept { PostSignals(); }  // on the writer thread
  // Once; waits for at most kExitLimit. `state`: the framework is there still.
  enum class State : std::uint8_t { kNo, kYes };
  void OnExit(State state) noexcept;

  // Contexts that the job uses, and before they end.
  void NoteContext() noexcept;
  Contexts& contexts() noexcept { return contexts_; }

 private:
  struct Rates {
    Rate points{kPointsPerSecond}, looks{kLooksPerSecond}, states{kStatesPerSecond};
  };
  struct What {
    record::PointKind kind{};
    std::string label{};
    record::PointEdge edge{};
    std::optional<record::StringId> call{};
    std::optional<std::uint64_t> bytes{};
    std::uint64_t time_ns = 0;  // 0: now
    bool by_this_thread = true;
    bool wants_state = true;
  };
  // What is still to be looked at, after Begin() has written the point.
  struct Begun {
    std::uint64_t number = 0;
    std::string label;
    bool look = false, state = false, state_skipped = false;
  };

  template <typename Work>
  void Guarded(Work work) noexcept;
  std::optional<Begun> Number(const What& what, std::uint64_t now_ns);
  std::optional<Begun> Begin(What what);
  void LookAtDevices(std::uint64_t point);
  // The whole look, on this thread.
  void Take(What what);
  void PostSignals() noexcept;
  void TakeText(std::string label, record::PointEdge edge);

  session::Session& session_;
  blocks::AllocatorLog& allocator_;
  const spec::Points& wanted_;
  const bool any_, any_replays_;
  Contexts contexts_;
  Labels labels_;
  std::mutex mutex_;  // guards the two below
  std::array<Rates, record::kPointKinds> rates_;
  std::uint64_t next_number_ = 0;
  std::atomic<std::uint64_t> failed_allocations_{0};
  std::atomic<std::uint64_t> signals_{0}, signal_ns_{0};
  std::mutex signals_mutex_;          // guards the next
  std::uint64_t posted_signals_ = 0;  // of them, to the thread
  std::atomic<bool> exited_{false};
  Later later_;  // last: its thread uses the others
};

}  // namespace graphtap::points
