#include "tests/adapter/allocator_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <sstream>

#include "tests/adapter/fake_host.h"

namespace graphtap::adapter_test {
namespace {

std::mutex mutex;
AllocatorLog the_log;

// False: it cannot be.
bool Replay(const GraphtapAllocatorEvent& event, Picture* picture) {
  const auto found = picture->blocks.find(event.address);
  const bool known = found != picture->blocks.end();
  switch (event.action) {
    case GRAPHTAP_ALLOC:
      picture->blocks[event.address] = {event.bytes,  GRAPHTAP_BLOCK_ALLOCATED, event.device,
                                        event.stream, event.pool.first,         event.pool.second};
      return !known;
    case GRAPHTAP_FREE_REQUESTED:
      if (!known || found->second.state != GRAPHTAP_BLOCK_ALLOCATED) return false;
      found->second.state = GRAPHTAP_BLOCK_PENDING;
      return true;
    case GRAPHTAP_FREE_COMPLETED:
      if (!known || found->second.state != GRAPHTAP_BLOCK_PENDING) return false;
      picture->blocks.erase(found);
      return true;
    case GRAPHTAP_SEGMENT_ALLOC:
    case GRAPHTAP_SEGMENT_MAP:
      picture->AddMemory(event.address, event.bytes);
      return true;
    case GRAPHTAP_SEGMENT_FREE:
    case GRAPHTAP_SEGMENT_UNMAP:
      picture->RemoveMemory(event.address, event.bytes);
      return true;
    default:
      return event.action == GRAPHTAP_OUT_OF_MEMORY;
  }
}

void Read(const GraphtapSegment& segment, Picture* picture) {
  EXPECT_EQ(segment.size, sizeof(GraphtapSegment));
  EXPECT_EQ(segment.block_size, sizeof(GraphtapBlock));
  std::uint64_t end = segment.address;
  for (std::uint32_t i = 0; i < segment.block_count; ++i) {
    const GraphtapBlock& block = segment.blocks[i];
    EXPECT_EQ(block.size, sizeof(GraphtapBlock));
    EXPECT_EQ(block.address, end);
    EXPECT_LE(block.requested, block.bytes);
    end += block.bytes;
    if (block.state == GRAPHTAP_BLOCK_FREE) {
      EXPECT_EQ(block.requested, 0u);
      continue;
    }
    picture->blocks[block.address] = {block.requested, block.state,        segment.device,
                                      segment.stream,  segment.pool.first, segment.pool.second};
  }
  EXPECT_EQ(end, segment.address + segment.bytes);
  picture->AddMemory(segment.address, segment.bytes);
}

template <typename Key, typename Value, typename Print>
void Compare(const std::map<Key, Value>& one, const std::map<Key, Value>& other, const char* what,
             const Print& print, std::ostream* text) {
  int count = 0;
  for (const auto& [key, value] : one) {
    const auto found = other.find(key);
    if (found != other.end() && found->second == value) continue;
    if (++count > 3) continue;
    *text << what << std::hex << " 0x" << key << std::dec << ": " << print(value)
          << ", other: " << (found == other.end() ? std::string("none") : print(found->second))
          << "\n";
  }
  if (count > 3) *text << count << " differ\n";
}

std::string TextOf(const LiveBlock& block) {
  std::ostringstream text;
  text << block.requested << " bytes, state " << block.state << ", device " << block.device
       << ", stream " << block.stream << ", pool " << block.pool_first << "," << block.pool_second;
  return text.str();
}

}  // namespace

void Picture::AddMemory(std::uint64_t begin, std::uint64_t bytes) {
  std::uint64_t end = begin + bytes;
  if (const auto after = memory.find(end); after != memory.end()) {
    end = after->second;
    memory.erase(after);
  }
  auto before = memory.lower_bound(begin);
  if (before != memory.begin() && (--before)->second == begin) {
    before->second = end;
  } else {
    memory[begin] = end;
  }
}

void Picture::RemoveMemory(std::uint64_t begin, std::uint64_t bytes) {
  auto around = memory.upper_bound(begin);
  ASSERT_NE(around, memory.begin());
  --around;
  const auto [first, last] = *around;
  ASSERT_GE(last, begin + bytes);
  memory.erase(around);
  if (first < begin) memory[first] = begin;
  if (begin + bytes < last) memory[begin + bytes] = last;
}

std::string Differences(const Picture& one, const Picture& other) {
  std::ostringstream text;
  const auto print_end = [](std::uint64_t end) { return "to " + std::to_string(end); };
  Compare(one.blocks, other.blocks, "block", &TextOf, &text);
  Compare(other.blocks, one.blocks, "other block", &TextOf, &text);
  Compare(one.memory, other.memory, "memory", print_end, &text);
  Compare(other.memory, one.memory, "other memory", print_end, &text);
  return text.str();
}

std::size_t AllocatorLog::CountOf(GraphtapAllocatorAction action) const {
  return std::count_if(events.begin(), events.end(), [&](const GraphtapAllocatorEvent& event) {
    return event.action == static_cast<std::uint32_t>(action);
  });
}

AllocatorLog ReadLog() {
  const std::lock_guard lock(mutex);
  return the_log;
}

void LogEvent(const GraphtapAllocatorEvent* event) {
  const std::lock_guard lock(mutex);
  EXPECT_EQ(event->size, sizeof(GraphtapAllocatorEvent));
  the_log.events.push_back(*event);
  if (!Replay(*event, &the_log.replayed)) ++the_log.impossible;
}

void LogState(const GraphtapAllocatorState* state) {
  const std::lock_guard lock(mutex);
  EXPECT_EQ(state->size, sizeof(GraphtapAllocatorState));
  EXPECT_EQ(state->segment_size, sizeof(GraphtapSegment));
  Picture picture;
  the_log.expandable_segments = 0;
  for (std::uint32_t i = 0; i < state->segment_count; ++i) {
    Read(state->segments[i], &picture);
    the_log.expandable_segments += state->segments[i].expandable;
  }
  if (the_log.states++ == 0) the_log.replayed = picture;
  the_log.last_state = std::move(picture);
}

void LogReason(const char* why) {
  const std::lock_guard lock(mutex);
  the_log.reasons.emplace_back(why);
}

// The allocator's lock is not held, so the state may be asked for.
void LogFailure(const GraphtapOutOfMemory* failure) {
  Adapter().take_allocator_state();
  const AllocatorLog now = ReadLog();
  const std::lock_guard lock(mutex);
  the_log.failures.push_back(*failure);
  the_log.differences_at_failure += Differences(now.last_state, now.replayed);
}

}  // namespace graphtap::adapter_test
