// Allocator: what an adapter watches of a framework's caching allocator of device memory, without
// the framework: blocks of segments that the job has from CUDA, each of one stream and pool; the
// events of both, and their state. Owner: itself; a tracker stays. Threads: any; the tracker runs
// under the lock. Failure: nullptr: no segment has room. Units: bytes.
#pragma once

#include <cstdint>
#include <vector>

namespace torch_like {

// {0, 0}: memory that all share.
struct Pool {
  std::uint64_t first = 0, second = 0;
  bool operator==(const Pool&) const = default;
};

enum class Action { kAlloc, kFreeRequested, kFreeCompleted, kSegmentAlloc, kOutOfMemory };

struct AllocatorEvent {
  Action action{};
  std::uint64_t address = 0, bytes = 0;
  void* stream = nullptr;
  Pool pool;
};

// As the framework has it: a block that is neither is free.
struct BlockInfo {
  std::uint64_t bytes = 0, requested = 0;
  bool allocated = false, active = false;
};

struct SegmentInfo {
  std::uint64_t address = 0, bytes = 0;
  void* stream = nullptr;
  Pool pool;
  std::vector<BlockInfo> blocks;  // all of it, by address
};

struct AllocatorFunctions {
  bool (*initialized)();  // it has a segment
  void (*add_segment)(void* memory, std::uint64_t bytes, void* stream, Pool pool);
  // At the lowest address where there is room; if there is none, the observer is told so after the
  // tracker, and without the lock.
  void* (*allocate)(std::uint64_t bytes, void* stream, Pool pool);
  void (*free)(void* block);
  void (*record_stream)(void* block);  // another one uses it, so that it is not free at once
  void (*complete_frees)();            // those streams are done
  void (*track)(void (*tracker)(const AllocatorEvent& event));  // from now on
  std::vector<SegmentInfo> (*snapshot)();
  void (*observe_failures)(void (*observer)(std::uint64_t bytes));
};

}  // namespace torch_like

extern "C" const torch_like::AllocatorFunctions* torch_like_allocator();
