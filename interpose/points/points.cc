#include "interpose/points/points.h"

#include <cstdlib>
#include <utility>

namespace graphtap::points {

using record::PointEdge;
using record::PointKind;

bool Points::WantTexts() noexcept {
  try {
    std::string error;
    const auto settings =
        ParseSettings([](const char* variable) { return std::getenv(variable); }, &error);
    return settings && !settings->points.nvtx.empty();
  } catch (...) {
    return false;
  }
}

Points::Points(session::Session& session, blocks::AllocatorLog& allocator)
    : session_(session),
      allocator_(allocator),
      wanted_(session.settings().points),
      any_(!(wanted_ == spec::Points())),
      any_replays_(!wanted_.replays.items().empty()),
      contexts_(session.calls()) {}

template <typename Work>
void Points::Guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

// Captures are exempt: each costs more than its points, and operands need their states.
std::optional<Points::Begun> Points::Number(const What& what, std::uint64_t now_ns) {
  const bool exempt = what.kind == PointKind::kCapture;
  const bool wants_state = what.wants_state && allocator_.Tells();
  const std::lock_guard lock(mutex_);
  Rates& rates = rates_[static_cast<std::size_t>(what.kind)];
  if (!exempt && !rates.points.Take(now_ns)) return std::nullopt;
  Begun begun{.number = next_number_++, .label = what.label};
  begun.look = exempt || rates.looks.Take(now_ns);
  begun.state = wants_state && begun.look && rates.states.Take(now_ns);
  begun.state_skipped = wants_state && !begun.state;
  return begun;
}

std::optional<Points::Begun> Points::Begin(What what) {
  const std::uint64_t now = session::Now();
  const auto begun = Number(what, now);
  if (!begun) {
    session_.recorder().Count(Loss::point_lost);
    return std::nullopt;
  }
  if (!begun->look || begun->state_skipped) session_.recorder().Count(Loss::point_bare);
  record::Point point;
  point.number = begun->number;
  point.label = std::move(what.label);
  point.kind = what.kind;
  point.edge = what.edge;
  if (what.by_this_thread) point.thread = session_.CurrentThread();
  point.time_ns = what.time_ns == 0 ? now : what.time_ns;
  point.call = what.call;
  point.bytes = what.bytes;
  point.memory_skipped = !begun->look;
  point.state_skipped = begun->state_skipped;
  session_.recorder().Append(point);
  return begun;
}

void Points::LookAtDevices(std::uint64_t point) {
  const auto ask = session_.calls().memory_info;
  if (ask == nullptr) return;
  contexts_.ForEach([&](CUdevice device) {
    std::size_t free_bytes = 0, total_bytes = 0;
    if (ask(&free_bytes, &total_bytes) != CUDA_SUCCESS) return;
    session_.recorder().Append(
        record::DeviceMemory{point, static_cast<std::uint32_t>(device), free_bytes, total_bytes});
  });
}

void Points::Take(What what) {
  const auto begun = Begin(std::move(what));
  if (!begun) return;
  if (begun->look) LookAtDevices(begun->number);
  if (begun->state) allocator_.TakeAt({begun->label, begun->number});
}

void Points::NoteContext() noexcept {
  if (any_) Guarded([&] { contexts_.NoteCurrent(); });
}

// A thread without a context may be one of the driver that runs a host function, which must neither
// call the driver nor wait for a lock that is held while the device is waited for.
void Points::TakeText(std::string label, PointEdge edge) {
  What what{.kind = PointKind::kNvtx, .label = "nvtx:" + std::move(label), .edge = edge};
  if (contexts_.NoteCurrent()) return Take(std::move(what));
  what.wants_state = false;
  Begin(std::move(what));
}

void Points::OnMark(std::string_view text) noexcept {
  if (!wanted_.MatchesText(text)) return;
  Guarded([&] {
    const std::uint64_t time = labels_.Next(text);
    if (time == 0) return session_.recorder().Count(Loss::point_lost);
    TakeText(Labels::Of(text, time), PointEdge::kNone);
  });
}

std::uint64_t Points::OnRangeBegin(std::string_view text) noexcept {
  if (!wanted_.MatchesText(text)) return 0;
  std::uint64_t time = 0;
  Guarded([&] {
    time = labels_.Next(text);
    if (time == 0) return session_.recorder().Count(Loss::point_lost, 2);
    TakeText(Labels::Of(text, time) + ":begin", PointEdge::kBegin);
  });
  return time;
}

void Points::OnRangeEnd(std::string_view text, std::uint64_t time) noexcept {
  if (time == 0) return;
  Guarded([&] { TakeText(Labels::Of(text, time) + ":end", PointEdge::kEnd); });
}

std::optional<std::uint64_t> Points::OnCapture(const std::string& label, PointEdge edge) noexcept {
  if (!wanted_.capture) return std::nullopt;
  std::optional<Begun> begun;
  Guarded([&] {
    contexts_.NoteCurrent();
    begun =
        Begin({.kind = PointKind::kCapture, .label = label, .edge = edge, .wants_state = false});
    if (begun) LookAtDevices(begun->number);
  });
  return begun ? std::optional(begun->number) : std::nullopt;
}

void Points::OnInstantiate(std::uint32_t executable) noexcept {
  if (!wanted_.instantiate) return;
  Guarded([&] {
    contexts_.NoteCurrent();
    Take({.kind = PointKind::kInstantiate, .label = "instantiate:x" + std::to_string(executable)});
  });
}

void Points::OnReplay(std::uint32_t executable, std::uint64_t replay) noexcept {
  Guarded([&] {
    contexts_.NoteCurrent();
    Take({.kind = PointKind::kReplay,
          .label = "replay:x" + std::to_string(executable) + '@' + std::to_string(replay)});
  });
}

// The state comes soon after: the call may have been made under the lock of the framework's
// allocator, which the state needs.
void Points::OnOutOfMemory(const char* call, std::uint64_t bytes) noexcept {
  if (!wanted_.out_of_memory) return;
  Guarded([&] {
    contexts_.NoteCurrent();
    const auto begun = Begin({.kind = PointKind::kOutOfMemory,
                              .label = "oom:" + std::to_string(failed_allocations_++),
                              .call = session_.recorder().Intern(call),
                              .bytes = bytes});
    if (begun && begun->look) LookAtDevices(begun->number);
    if (!begun || !begun->state) return;
    const bool posted = later_.Post(
        [this, begun] { Guarded([&] { allocator_.TakeAt({begun->label, begun->number}); }); });
    if (!posted) session_.recorder().Count(Loss::point_bare);
  });
}

void Points::OnFrameworkOutOfMemory(std::uint64_t bytes) noexcept {
  if (!wanted_.out_of_memory) return;
  Guarded([&] {
    contexts_.NoteCurrent();
    Take({.kind = PointKind::kOutOfMemory,
          .label = "oom:" + std::to_string(failed_allocations_++),
          .call = session_.recorder().Intern("the framework's allocator"),
          .bytes = bytes});
  });
}

void Points::OnSignal() noexcept {
  signal_ns_.store(session::Now());
  signals_.fetch_add(1);
  session_.recorder().AskFlush();
}

// On the writer thread and, for those that came last, on the one that exits.
void Points::PostSignals() noexcept {
  const std::lock_guard lock(signals_mutex_);
  const std::uint64_t signals = signals_.load();
  for (; posted_signals_ < signals; ++posted_signals_) {
    const bool posted = later_.Post([this, number = posted_signals_, time = signal_ns_.load()] {
      Guarded([&] {
        Take({.kind = PointKind::kSignal,
              .label = "signal:" + std::to_string(number),
              .time_ns = time,
              .by_this_thread = false});
      });
    });
    if (!posted) session_.recorder().Count(Loss::point_lost);
  }
}

void Points::OnExit(State state) noexcept {
  if (exited_.exchange(true)) return;
  PostSignals();
  if (wanted_.exit) {
    later_.Post([this, state] {
      Guarded([&] {
        Take({.kind = PointKind::kExit,
              .label = "exit",
              .by_this_thread = false,
              .wants_state = state == State::kYes});
      });
    });
  }
  later_.Finish(kExitLimit);
}

}  // namespace graphtap::points
