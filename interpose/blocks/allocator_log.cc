#include "interpose/blocks/allocator_log.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "interpose/abi/complete.h"
#include "interpose/ops/thread_ops.h"

namespace graphtap::blocks {
namespace {

// Of the memory for records that wait for the disk.
constexpr std::uint64_t kShareOfHostBytes = 8;
constexpr int kLockTries = 100;
constexpr std::chrono::milliseconds kLockPause{1};

// The state that this thread waits for; nullptr: none, or it was told.
thread_local record::AllocatorState* t_wanted = nullptr;

record::Segment SegmentOf(const GraphtapSegment& given) {
  record::Segment segment;
  segment.device = static_cast<std::uint32_t>(given.device);
  segment.address = given.address;
  segment.bytes = given.bytes;
  segment.stream = reinterpret_cast<std::uintptr_t>(given.stream);
  segment.pool = {given.pool.first, given.pool.second};
  segment.expandable = given.expandable != 0;
  segment.blocks.reserve(given.block_count);
  const auto* at = reinterpret_cast<const std::byte*>(given.blocks);
  for (std::uint32_t i = 0; i < given.block_count; ++i, at += given.block_size) {
    const auto block = abi::Complete(reinterpret_cast<const GraphtapBlock*>(at), given.block_size);
    segment.blocks.push_back({static_cast<record::BlockState>(block.state), block.address,
                              block.bytes, block.requested});
  }
  return segment;
}

void FillIn(const GraphtapAllocatorState& given, record::AllocatorState* state) {
  const auto* at = reinterpret_cast<const std::byte*>(given.segments);
  for (std::uint32_t i = 0; i < given.segment_count; ++i, at += given.segment_size) {
    const auto* segment = reinterpret_cast<const GraphtapSegment*>(at);
    state->segments.push_back(SegmentOf(abi::Complete(segment, given.segment_size)));
  }
}

}  // namespace

AllocatorLog::AllocatorLog(session::Session& session)
    : session_(session),
      most_kept_(session.settings().host_bytes / kShareOfHostBytes /
                 sizeof(record::AllocatorEvent)),
      unwritten_(session.settings().host_bytes / kShareOfHostBytes) {}

void AllocatorLog::Add(const GraphtapAllocatorEvent& event) noexcept {
  try {
    Circumstances when;
    when.thread = session_.CurrentThread();
    if (const auto* op = ops::Current()) when.op = op->name;
    // A block may be free later than it was given back, wherever the thread is then.
    if (stack_ && event.action != GRAPHTAP_FREE_COMPLETED) when.stack = stack_();
    std::unique_lock lock(mutex_);
    // Most blocks are free as soon as they are given back: the clock is read once for both.
    const bool same_moment =
        event.action == GRAPHTAP_FREE_COMPLETED && event.address == given_back_;
    when.time_ns = same_moment ? time_ns_ : session::Now();
    time_ns_ = when.time_ns;
    given_back_ = event.action == GRAPHTAP_FREE_REQUESTED ? event.address : 0;
    when.number = count_.load(std::memory_order_relaxed);
    if (open_ > 0) Keep(event, when);
    count_.store(when.number + 1, std::memory_order_release);
    const auto added = unwritten_.Add(event, when);
    lock.unlock();
    if (added == EventBuffers::Added::kIntoNext) session_.recorder().AskCollect();
    if (added == EventBuffers::Added::kNo) session_.recorder().Count(Loss::buffer_full);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

void AllocatorLog::Keep(const GraphtapAllocatorEvent& event, const Circumstances& when) {
  kept_full_ = kept_full_ || kept_.size() == most_kept_;
  if (!kept_full_) kept_.push_back(RecordOf(event, when));
}

bool AllocatorLog::Answer(const GraphtapAllocatorState& state) {
  if (t_wanted == nullptr) return false;
  FillIn(state, std::exchange(t_wanted, nullptr));
  return true;
}

void AllocatorLog::OnState(const GraphtapAllocatorState& state) {
  if (Answer(state)) return;
  if (started_.exchange(true)) return;
  record::AllocatorState start;
  start.label = "start";
  FillIn(state, &start);
  start.events = Moment();
  start.settled = start.events == 0;
  start.time_ns = session::Now();
  session_.recorder().Append(start);
}

std::optional<record::AllocatorState> AllocatorLog::Take(const When& when) {
  constexpr int kTries = 3;
  record::AllocatorState state;
  state.label = when.label;
  state.point = when.point;
  for (int i = 0; i < kTries && !state.settled; ++i) {
    state.segments.clear();
    const std::uint64_t before = Moment();
    t_wanted = &state;
    take_();
    if (std::exchange(t_wanted, nullptr) != nullptr) return std::nullopt;
    state.events = Moment();
    state.settled = state.events == before;
  }
  state.time_ns = session::Now();
  session_.recorder().Append(state);
  return state;
}

std::shared_ptr<History> AllocatorLog::Begin(const When& when) {
  if (!started_.load() || !take_) return nullptr;
  auto history = std::make_shared<History>();
  std::uint64_t first = 0;
  {
    const std::lock_guard lock(mutex_);
    ++open_;
    first = Moment();
  }
  std::optional<record::AllocatorState> state;
  try {
    state = Take(when);
  } catch (...) {
    Close();
    throw;
  }
  // Events that came while it was taken may be in it: they say it again.
  history->first = state && state->settled ? state->events : first;
  if (!state) return history;
  for (const auto& segment : state->segments) {
    for (const auto& block : segment.blocks) {
      if (block.state == record::BlockState::kFree) continue;
      history->at_first.push_back({block.address, block.requested, segment.pool, {}});
    }
  }
  return history;
}

void AllocatorLog::TakeAt(const When& when) {
  if (Tells() && take_) Take(when);
}

void AllocatorLog::End(History* history, const When& when) {
  Take(when);
  const std::lock_guard lock(mutex_);
  const auto first = std::lower_bound(
      kept_.begin(), kept_.end(), history->first,
      [](const auto& event, std::uint64_t moment) { return event.number < moment; });
  history->complete = !kept_full_;
  if (history->complete) history->events.assign(first, kept_.end());
  if (!history->complete) session_.recorder().Count(Loss::buffer_full);
  CloseLocked();
}

void AllocatorLog::Close() {
  const std::lock_guard lock(mutex_);
  CloseLocked();
}

void AllocatorLog::CloseLocked() {
  if (--open_ > 0) return;
  kept_ = {};
  kept_full_ = false;
}

bool AllocatorLog::TryLock(std::unique_lock<std::mutex>* lock) {
  for (int pauses = 0; !lock->try_lock(); ++pauses) {
    if (pauses == kLockTries) return false;
    std::this_thread::sleep_for(kLockPause);
  }
  return true;
}

void AllocatorLog::WriteEvents(EventBuffers::Which which) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!TryLock(&lock)) return;
  auto buffers = unwritten_.Take(which);
  lock.unlock();
  std::vector<record::AllocatorEvent> events;
  for (auto& buffer : buffers) {
    events.clear();
    for (std::size_t i = 0; i < buffer.events.size(); ++i) events.push_back(buffer.At(i));
    session_.recorder().Append(events);
    if (!TryLock(&lock)) continue;
    unwritten_.GiveBack(std::move(buffer));
    lock.unlock();
  }
}

}  // namespace graphtap::blocks
