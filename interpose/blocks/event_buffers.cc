#include "interpose/blocks/event_buffers.h"

#include <algorithm>
#include <utility>

namespace graphtap::blocks {
namespace {

// Buffers that are kept for later.
constexpr std::size_t kMostSpare = 16;

Place PlaceOf(const GraphtapAllocatorEvent& event) {
  return {static_cast<std::uint32_t>(event.device),
          reinterpret_cast<std::uintptr_t>(event.stream),
          {event.pool.first, event.pool.second}};
}

bool IsAt(const Place& place, const GraphtapAllocatorEvent& event) {
  return place.stream == reinterpret_cast<std::uintptr_t>(event.stream) &&
         place.device == static_cast<std::uint32_t>(event.device) &&
         place.pool.first == event.pool.first && place.pool.second == event.pool.second;
}

}  // namespace

record::AllocatorEvent RecordOf(const GraphtapAllocatorEvent& event, const Circumstances& when) {
  const Place place = PlaceOf(event);
  record::AllocatorEvent record;
  record.number = when.number;
  record.action = static_cast<record::AllocatorAction>(event.action);
  record.device = place.device;
  record.address = event.address;
  record.bytes = event.bytes;
  record.stream = place.stream;
  record.pool = place.pool;
  record.thread = when.thread;
  record.time_ns = when.time_ns;
  record.op = when.op;
  record.stack = when.stack;
  return record;
}

record::AllocatorEvent EventBuffer::At(std::size_t index) const {
  const WaitingEvent& waiting = events[index];
  const Place& place = places[waiting.place];
  record::AllocatorEvent event;
  event.number = first + index;
  event.action = waiting.action;
  event.device = place.device;
  event.address = waiting.address;
  event.bytes = waiting.bytes;
  event.stream = place.stream;
  event.pool = place.pool;
  event.thread = waiting.thread;
  event.time_ns = waiting.time_ns;
  if (waiting.has_op) event.op = waiting.op;
  if (waiting.has_stack) event.stack = waiting.stack;
  return event;
}

void EventBuffer::Clear() {
  places.clear();
  events.clear();
}

EventBuffers::EventBuffers(std::uint64_t bytes)
    : per_buffer_(std::min(bytes / sizeof(WaitingEvent), std::uint64_t{kMostInBuffer})),
      most_buffers_(per_buffer_ == 0 ? 0 : bytes / (per_buffer_ * sizeof(WaitingEvent))) {}

// Buffers that are full for their places are not full of events: then fewer than may wait do.
EventBuffers::Added EventBuffers::Add(const GraphtapAllocatorEvent& event,
                                      const Circumstances& when) {
  const bool into_next =
      buffer_.events.size() == per_buffer_ || !Follows(when.number) || !SetPlace(event);
  if (into_next && !(Next() && SetPlace(event))) return Added::kNo;
  if (buffer_.events.empty()) buffer_.first = when.number;
  buffer_.events.push_back({event.address, event.bytes, when.time_ns, when.thread,
                            when.op.value_or(record::StringId{}),
                            when.stack.value_or(record::StackId{}), place_,
                            static_cast<record::AllocatorAction>(event.action), when.op.has_value(),
                            when.stack.has_value()});
  return into_next ? Added::kIntoNext : Added::kYes;
}

// A number is left out where there was no room for its event.
bool EventBuffers::Follows(std::uint64_t number) const {
  return buffer_.events.empty() || number == buffer_.first + buffer_.events.size();
}

// Most events are where the one before was.
bool EventBuffers::SetPlace(const GraphtapAllocatorEvent& event) {
  auto& places = buffer_.places;
  if (place_ < places.size() && IsAt(places[place_], event)) return true;
  const auto found = std::find_if(places.begin(), places.end(),
                                  [&](const Place& place) { return IsAt(place, event); });
  if (found == places.end() && places.size() == kMostPlaces) return false;
  place_ = static_cast<std::uint16_t>(found - places.begin());
  if (found == places.end()) places.push_back(PlaceOf(event));
  return true;
}

bool EventBuffers::Next() {
  if (full_.size() + 1 >= most_buffers_) return false;
  full_.reserve(full_.size() + 1);
  EventBuffer next = Spare();
  next.events.reserve(per_buffer_);
  full_.push_back(std::exchange(buffer_, std::move(next)));
  return true;
}

// The one used last is the one that a cache still has.
EventBuffer EventBuffers::Spare() {
  if (spare_.empty()) return {};
  EventBuffer spare = std::move(spare_.back());
  spare_.pop_back();
  return spare;
}

std::vector<EventBuffer> EventBuffers::Take(Which which) {
  if (which == Which::kAll && !buffer_.events.empty()) {
    full_.reserve(full_.size() + 1);
    full_.push_back(std::exchange(buffer_, Spare()));
  }
  return std::exchange(full_, {});
}

void EventBuffers::GiveBack(EventBuffer buffer) {
  if (spare_.size() == kMostSpare) return;
  buffer.Clear();
  spare_.push_back(std::move(buffer));
}

}  // namespace graphtap::blocks
