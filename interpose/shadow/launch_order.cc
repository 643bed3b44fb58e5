#include "interpose/shadow/launch_order.h"

namespace graphtap::shadow {
namespace {

// A committed launch is one driver call away from its end, unless its thread was cancelled there.
constexpr std::chrono::seconds kCommittedLimit{2};

}  // namespace

bool LaunchOrder::Last::Arrived() const noexcept {
  return slot != nullptr && slot->arrivals.load(std::memory_order_acquire) >= launch;
}

void LaunchOrder::AwaitProbed(std::unique_lock<std::mutex>* lock, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto changed = [this] { return probed_ == Probed::kNone || probed_ == Probed::kOvertaken; };
  changed_.wait_until(*lock, deadline, changed);
  if (probed_ != Probed::kCommitted) return;
  changed_.wait_for(*lock, kCommittedLimit, [this] { return probed_ != Probed::kCommitted; });
  // Its thread is gone, or the driver holds it up: nobody waits for it any more.
  if (probed_ == Probed::kCommitted) probed_ = Probed::kOvertaken;
}

LaunchOrder::Entry LaunchOrder::Enter(record::StreamId stream, std::chrono::milliseconds limit,
                                      const std::function<bool()>& due) {
  std::unique_lock lock(mutex_);
  AwaitProbed(&lock, limit);
  Entry entry;
  ++serial_;
  const bool wanted = due();
  const bool alone = probed_ == Probed::kNone && plain_ == 0;
  const bool other_stream = last_ && last_->stream != stream;
  const bool running = other_stream && !last_->Arrived();
  several_streams_ = several_streams_ || other_stream;
  if (wanted && running && last_->event == nullptr) entry.lost = Loss::stream_changed;
  if (wanted && (!alone || overlapped_)) entry.lost = Loss::launch_overlap;
  entry.probed = wanted && !entry.lost;
  // The driver itself orders two launches of the job's executable.
  const bool last_probed = last_ && last_->slot != nullptr;
  if (running && (entry.probed || last_probed)) entry.wait = last_->event;
  if (entry.probed) {
    probed_ = Probed::kPreparing;
  } else {
    // What is being prepared cannot know of this one.
    if (probed_ == Probed::kPreparing) probed_ = Probed::kOvertaken;
    overlapped_ = overlapped_ || !alone;
    ++plain_;
    if (alone) entry.serial = serial_;
  }
  return entry;
}

bool LaunchOrder::Commit() {
  const std::lock_guard lock(mutex_);
  if (probed_ != Probed::kPreparing) return false;
  probed_ = Probed::kCommitted;
  return true;
}

void LaunchOrder::Downgrade() {
  {
    const std::lock_guard lock(mutex_);
    overlapped_ = overlapped_ || plain_ > 0;
    probed_ = Probed::kNone;
    ++plain_;
  }
  changed_.notify_all();
}

bool LaunchOrder::WantsEvent() const {
  const std::lock_guard lock(mutex_);
  return several_streams_;
}

void LaunchOrder::End(bool probed) {
  if (probed) {
    probed_ = Probed::kNone;
    changed_.notify_all();
  } else {
    --plain_;
  }
}

void LaunchOrder::Leave(record::StreamId stream, std::uint64_t serial, CUevent event,
                        const probe::Slot* slot) {
  const std::lock_guard lock(mutex_);
  End(slot != nullptr);
  last_ = Last{stream, event, slot, slot == nullptr ? 0 : slot->launches.load()};
  // Alone from its begin to its end: this one came last.
  if (serial == serial_ && plain_ == 0) overlapped_ = false;
}

void LaunchOrder::Fail(bool probed) {
  const std::lock_guard lock(mutex_);
  End(probed);
}

}  // namespace graphtap::shadow
