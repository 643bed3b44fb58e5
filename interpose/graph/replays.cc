#include "interpose/graph/replays.h"

#include <algorithm>

namespace graphtap::graph {

std::uint64_t Replays::Add(session::Session& session, const session::StreamRef& stream,
                           std::uint64_t time_ns) {
  const auto number = session.StreamNumber(stream);
  const std::lock_guard lock(mutex_);
  if (std::find(streams_.begin(), streams_.end(), number) == streams_.end()) {
    streams_.push_back(number);
  }
  if (count_ == taken_) first_ns_ = time_ns;
  last_ns_ = time_ns;
  return ++count_;
}

std::uint64_t Replays::count() const noexcept {
  const std::lock_guard lock(mutex_);
  return count_;
}

bool Replays::Take(record::ReplayRange* range) {
  const std::lock_guard lock(mutex_);
  if (count_ == taken_) return false;
  range->first = taken_ + 1;
  range->last = count_;
  range->streams = streams_;
  range->first_ns = first_ns_;
  range->last_ns = last_ns_;
  taken_ = count_;
  streams_.clear();
  return true;
}

}  // namespace graphtap::graph
