#include "interpose/shadow/launch_order.h"

namespace graphtap::shadow {

bool LaunchOrder::Last::Arrived() const noexcept {
  return slot != nullptr && slot->arrivals.load(std::memory_order_acquire) >= launch;
}

LaunchOrder::Entry LaunchOrder::Enter(record::StreamId stream, bool due,
                                      std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (probed_) probed_left_.wait_for(lock, limit, [this] { return !probed_; });
  Entry entry;
  const bool other_stream = last_ && last_->stream != stream;
  const bool running = other_stream && !last_->Arrived();
  several_streams_ = several_streams_ || other_stream;
  if (due && running && last_->event == nullptr) entry.lost = Loss::stream_changed;
  if (due && (probed_ || plain_ > 0 || overlapped_)) entry.lost = Loss::launch_overlap;
  entry.probed = due && !entry.lost;
  // The driver itself orders two launches of the job's executable.
  const bool last_probed = last_ && last_->slot != nullptr;
  if (running && (entry.probed || last_probed)) entry.wait = last_->event;
  if (entry.probed) {
    probed_ = true;
    return entry;
  }
  // A launch that begins alone is ordered behind all plain ones before it.
  overlapped_ = plain_ > 0 || probed_;
  ++plain_;
  return entry;
}

void LaunchOrder::Downgrade() {
  {
    const std::lock_guard lock(mutex_);
    probed_ = false;
    ++plain_;
  }
  probed_left_.notify_all();
}

bool LaunchOrder::WantsEvent() const {
  const std::lock_guard lock(mutex_);
  return several_streams_;
}

void LaunchOrder::End(bool probed) {
  if (probed) {
    probed_ = false;
    probed_left_.notify_all();
  } else {
    --plain_;
  }
}

void LaunchOrder::Leave(record::StreamId stream, bool probed, CUevent event,
                        const probe::Slot* slot) {
  const std::lock_guard lock(mutex_);
  last_ = Last{stream, event, slot, slot == nullptr ? 0 : slot->launches.load()};
  End(probed);
}

void LaunchOrder::Fail(bool probed) {
  const std::lock_guard lock(mutex_);
  End(probed);
}

}  // namespace graphtap::shadow
