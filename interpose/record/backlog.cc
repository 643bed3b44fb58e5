#include "interpose/record/backlog.h"

#include <algorithm>

namespace graphtap::record {

Backlog::Backlog(std::uint64_t max_bytes, std::uint64_t frame_bytes)
    : max_bytes_(max_bytes),
      frame_bytes_(frame_bytes),
      wake_bytes_(std::min(frame_bytes, max_bytes / 2)) {}

const Messages& Defined::Get() const {
  if (encode_) {
    messages_ = encode_();
    encode_ = nullptr;
  }
  return messages_;
}

Backlog::Kept Backlog::Room(std::uint64_t bytes) const {
  if (state_ != Kept::kYes) return state_;
  const std::uint64_t held = waiting_bytes_ + taken_bytes_;
  return bytes > max_bytes_ || held > max_bytes_ - bytes ? Kept::kFull : Kept::kYes;
}

Backlog::Kept Backlog::Add(DefinitionKey key, Definition definition) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t bytes = definition->size();
  const Kept kept = Room(bytes);
  if (kept == Kept::kBroken || kept == Kept::kClosed) return kept;
  const bool was_due = std::exchange(repeat_due_, true);  // stays so if something throws
  live_[key] = definition;
  if (kept == Kept::kFull) return kept;
  definitions_.push_back(std::move(definition));
  repeat_due_ = was_due;
  Grow(bytes);
  return kept;
}

Backlog::Kept Backlog::Add(std::string_view records, std::uint32_t count) {
  const std::lock_guard lock(mutex_);
  const Kept kept = Room(records.size());
  if (kept != Kept::kYes) return kept;
  Messages& frame = FrameFor(records.size(), &records_);
  frame.bytes.append(records);
  frame.count += count;
  Grow(records.size());
  return kept;
}

Backlog::Kept Backlog::AddPayload(std::string piece) {
  const std::uint64_t bytes = piece.size();
  const std::lock_guard lock(mutex_);
  const Kept kept = Room(bytes + max_bytes_ / 8);
  if (kept != Kept::kYes) return kept;
  Messages& frame = FrameFor(bytes, &payloads_);
  if (frame.count == 0) {
    frame.bytes = std::move(piece);
  } else {
    frame.bytes.append(piece);
  }
  ++frame.count;
  Grow(bytes);
  return kept;
}

Messages& Backlog::FrameFor(std::uint64_t bytes, std::vector<Messages>* frames) const {
  if (frames->empty() || frames->back().bytes.size() + bytes > frame_bytes_) {
    frames->emplace_back();
  }
  return frames->back();
}

void Backlog::Grow(std::uint64_t bytes) {
  const bool was_due = waiting_bytes_ >= wake_bytes_;
  waiting_bytes_ += bytes;
  if (!was_due && waiting_bytes_ >= wake_bytes_) wake_.notify_one();
}

void Backlog::Retire(DefinitionKey key) {
  Definition last;  // freed after the lock
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(key);
  if (found == live_.end()) return;
  last = std::move(found->second);
  live_.erase(found);
}

bool Backlog::Wait(std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  const auto due = [this] {
    return woken_ || (waiting_bytes_ > 0 && waiting_bytes_ >= wake_bytes_);
  };
  const bool in_time = wake_.wait_for(lock, limit, [&] { return collect_ || due(); });
  const bool flush = !in_time || due();
  (flush ? woken_ : collect_) = false;
  return flush;
}

Backlog::Batch Backlog::Take(bool repeat, bool close) {
  Batch batch;
  const std::lock_guard lock(mutex_);
  // Repeating under pressure would add to it: what found no room waits until there is some again.
  const bool relaxed = close || waiting_bytes_ <= max_bytes_ / 2;
  if (repeat || (repeat_due_ && relaxed)) {
    batch.repeated.reserve(live_.size());
    for (const auto& [key, definition] : live_) batch.repeated.push_back(definition);
    repeat_due_ = false;
  }
  batch.definitions.swap(definitions_);
  batch.records.swap(records_);
  batch.payloads.swap(payloads_);
  batch.bytes = std::exchange(waiting_bytes_, 0);
  taken_bytes_ += batch.bytes;
  if (close && state_ == Kept::kYes) state_ = Kept::kClosed;
  return batch;
}

void Backlog::Release(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  taken_bytes_ -= bytes;
}

void Backlog::Wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

// Whoever holds the lock, be it the thread that was interrupted, is not waited for; and nobody else
// is inside the condition variable's own lock while this one is held.
bool Backlog::TryWake() { return TrySet(&woken_); }
bool Backlog::TryWakeToCollect() { return TrySet(&collect_); }

bool Backlog::TrySet(bool* wanted) {
  if (!mutex_.try_lock()) return false;
  *wanted = true;
  wake_.notify_one();
  mutex_.unlock();
  return true;
}

std::uint64_t Backlog::Batch::Count() const {
  std::uint64_t count = 0;
  for (const Definition& definition : definitions) count += definition->count();
  for (const Messages& frame : records) count += frame.count;
  for (const Messages& frame : payloads) count += frame.count;
  return count;
}

std::uint64_t Backlog::Break() {
  Batch dropped;
  std::map<DefinitionKey, Definition> live;
  {
    const std::lock_guard lock(mutex_);
    state_ = Kept::kBroken;
    dropped.definitions.swap(definitions_);
    dropped.records.swap(records_);
    dropped.payloads.swap(payloads_);
    live.swap(live_);
    waiting_bytes_ = 0;
    repeat_due_ = false;
  }
  return dropped.Count();
}

}  // namespace graphtap::record
