// Allocator: what an adapter tells of the framework's caching allocator of device memory. The rules
// of adapter.h hold. Owner: structures are borrowed for the call. Threads: any. Failure: none.
// Units: bytes; a stream is a CUstream.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum GraphtapAllocatorAction {
  GRAPHTAP_ALLOC = 0,           // a block is given out
  GRAPHTAP_FREE_REQUESTED = 1,  // and given back: streams may still use it
  GRAPHTAP_FREE_COMPLETED = 2,  // it is free
  GRAPHTAP_SEGMENT_ALLOC = 3,   // memory taken from CUDA
  GRAPHTAP_SEGMENT_FREE = 4,
  GRAPHTAP_SEGMENT_MAP = 5,  // of an expandable segment
  GRAPHTAP_SEGMENT_UNMAP = 6,
  GRAPHTAP_OUT_OF_MEMORY = 7,  // `address` is how much was free on the device
};

// A pool of private memory; {0, 0}: memory that all share.
struct GraphtapPool {
  uint64_t first, second;
};

struct GraphtapAllocatorEvent {
  uint32_t size;
  uint32_t action;
  int32_t device;
  uint64_t address, bytes;  // bytes that were asked for, of a block
  void* stream;
  struct GraphtapPool pool;
};

enum GraphtapBlockState {
  GRAPHTAP_BLOCK_FREE = 0,
  GRAPHTAP_BLOCK_PENDING = 1,  // given back, but streams may still use it
  GRAPHTAP_BLOCK_ALLOCATED = 2,
};

struct GraphtapBlock {
  uint32_t size;
  uint32_t state;
  uint64_t address, bytes;
  uint64_t requested;  // bytes that were asked for; of a free block nothing
};

struct GraphtapSegment {
  uint32_t size;
  int32_t device;
  uint64_t address, bytes;
  void* stream;
  struct GraphtapPool pool;
  uint32_t expandable;  // 0 or 1
  uint32_t block_size;  // of one GraphtapBlock
  uint32_t block_count;
  const struct GraphtapBlock* blocks;  // all of the segment, by address
};

// The whole of the allocator, of all devices.
struct GraphtapAllocatorState {
  uint32_t size;
  uint32_t segment_size;  // of one GraphtapSegment
  uint32_t segment_count;
  const struct GraphtapSegment* segments;
};

// What the allocator could not give.
struct GraphtapOutOfMemory {
  uint32_t size;
  int32_t device;
  uint64_t bytes;  // that it asked CUDA for
};

#ifdef __cplusplus
}
#endif
