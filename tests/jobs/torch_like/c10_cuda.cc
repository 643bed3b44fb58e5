// The stand-in's libc10_cuda.so: the allocator.
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "tests/jobs/torch_like/allocator.h"

namespace {

using torch_like::Action;
using torch_like::AllocatorEvent;
using torch_like::BlockInfo;
using torch_like::Pool;
using torch_like::SegmentInfo;

constexpr std::uint64_t kRound = 512;

struct Block {
  BlockInfo info;
  bool recorded = false;
};
using Blocks = std::map<std::uint64_t, Block>;  // by address

struct Segment {
  SegmentInfo info;
  Blocks blocks;
};

std::mutex the_mutex;  // guards all below
std::map<std::uint64_t, Segment> the_segments;
void (*the_tracker)(const AllocatorEvent&) = nullptr;
void (*the_observer)(std::uint64_t bytes) = nullptr;

void Tell(Action action, std::uint64_t address, std::uint64_t bytes, const SegmentInfo& segment) {
  if (the_tracker != nullptr) the_tracker({action, address, bytes, segment.stream, segment.pool});
}

Segment& SegmentOf(std::uint64_t address) {
  return std::prev(the_segments.upper_bound(address))->second;
}

bool IsFree(const Block& block) { return !block.info.allocated && !block.info.active; }

// With the free blocks on both sides it is one.
void Complete(Segment* segment, Blocks::iterator block) {
  Tell(Action::kFreeCompleted, block->first, block->second.info.requested, segment->info);
  block->second = {{block->second.info.bytes, 0, false, false}, false};
  const auto next = std::next(block);
  if (next != segment->blocks.end() && IsFree(next->second)) {
    block->second.info.bytes += next->second.info.bytes;
    segment->blocks.erase(next);
  }
  if (block == segment->blocks.begin()) return;
  const auto before = std::prev(block);
  if (!IsFree(before->second)) return;
  before->second.info.bytes += block->second.info.bytes;
  segment->blocks.erase(block);
}

bool Initialized() {
  const std::lock_guard lock(the_mutex);
  return !the_segments.empty();
}

void AddSegment(void* memory, std::uint64_t bytes, void* stream, Pool pool) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(the_mutex);
  Segment& segment = the_segments[address];
  segment.info = {address, bytes, stream, pool, {}};
  segment.blocks[address].info.bytes = bytes;
  Tell(Action::kSegmentAlloc, address, bytes, segment.info);
}

void* Allocate(std::uint64_t bytes, void* stream, Pool pool) {
  const std::uint64_t rounded = (bytes + kRound - 1) / kRound * kRound;
  std::unique_lock lock(the_mutex);
  for (auto& [start, segment] : the_segments) {
    if (segment.info.stream != stream || !(segment.info.pool == pool)) continue;
    for (auto& [address, block] : segment.blocks) {
      if (!IsFree(block) || block.info.bytes < rounded) continue;
      if (block.info.bytes > rounded) {
        segment.blocks[address + rounded].info.bytes = block.info.bytes - rounded;
      }
      block.info = {rounded, bytes, true, true};
      Tell(Action::kAlloc, address, bytes, segment.info);
      return reinterpret_cast<void*>(address);
    }
  }
  Tell(Action::kOutOfMemory, 0, rounded, {0, 0, stream, pool, {}});
  const auto observer = the_observer;
  lock.unlock();
  if (observer != nullptr) observer(rounded);
  return nullptr;
}

void Free(void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(the_mutex);
  Segment& segment = SegmentOf(address);
  const auto block = segment.blocks.find(address);
  block->second.info.allocated = false;
  Tell(Action::kFreeRequested, address, block->second.info.requested, segment.info);
  if (!block->second.recorded) Complete(&segment, block);
}

void RecordStream(void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(the_mutex);
  SegmentOf(address).blocks.at(address).recorded = true;
}

void CompleteFrees() {
  const auto pending = [](const auto& entry) {
    return entry.second.info.active && !entry.second.info.allocated;
  };
  const std::lock_guard lock(the_mutex);
  for (auto& [start, segment] : the_segments) {
    auto& blocks = segment.blocks;
    for (auto found = blocks.begin(); found != blocks.end();) {
      found = std::find_if(found, blocks.end(), pending);
      if (found == blocks.end()) break;
      Complete(&segment, found);
      found = blocks.begin();
    }
  }
}

void Track(void (*tracker)(const AllocatorEvent&)) {
  const std::lock_guard lock(the_mutex);
  the_tracker = tracker;
}

std::vector<SegmentInfo> Snapshot() {
  const std::lock_guard lock(the_mutex);
  std::vector<SegmentInfo> all;
  for (const auto& [start, segment] : the_segments) {
    SegmentInfo& info = all.emplace_back(segment.info);
    for (const auto& [address, block] : segment.blocks) info.blocks.push_back(block.info);
  }
  return all;
}

void ObserveFailures(void (*observer)(std::uint64_t)) {
  const std::lock_guard lock(the_mutex);
  the_observer = observer;
}

constexpr torch_like::AllocatorFunctions kFunctions = {Initialized, AddSegment,   Allocate,
                                                       Free,        RecordStream, CompleteFrees,
                                                       Track,       Snapshot,     ObserveFailures};

}  // namespace

[[gnu::visibility("default")]] const torch_like::AllocatorFunctions* torch_like_allocator() {
  return &kFunctions;
}
