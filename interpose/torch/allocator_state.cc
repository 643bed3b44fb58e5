#include "interpose/torch/allocator_state.h"

#include <vector>

#include "interpose/torch/host.h"

namespace graphtap::torch {
namespace {

using c10::cuda::CUDACachingAllocator::BlockInfo;
using c10::cuda::CUDACachingAllocator::CUDAAllocator;
using c10::cuda::CUDACachingAllocator::SegmentInfo;
using c10::cuda::CUDACachingAllocator::SnapshotInfo;

// Of all pools; without the history, which the person may have switched on, where the release can.
template <typename Allocator>
SnapshotInfo Snapshot(Allocator* allocator) {
  if constexpr (requires { allocator->snapshot({0, 0}, false); }) {
    return allocator->snapshot({0, 0}, false);
  } else if constexpr (requires { allocator->snapshot({0, 0}); }) {
    return allocator->snapshot({0, 0});
  } else {
    return allocator->snapshot();
  }
}

GraphtapBlockState StateOf(const BlockInfo& block) noexcept {
  if (block.allocated) return GRAPHTAP_BLOCK_ALLOCATED;
  return block.active ? GRAPHTAP_BLOCK_PENDING : GRAPHTAP_BLOCK_FREE;
}

GraphtapBlock Read(const BlockInfo& block, std::uint64_t address) noexcept {
  const GraphtapBlockState state = StateOf(block);
  return {.size = sizeof(GraphtapBlock),
          .state = static_cast<std::uint32_t>(state),
          .address = address,
          .bytes = static_cast<std::uint64_t>(block.size),
          .requested =
              state == GRAPHTAP_BLOCK_FREE ? 0 : static_cast<std::uint64_t>(block.requested_size)};
}

GraphtapSegment Read(const SegmentInfo& segment, const GraphtapBlock* blocks) noexcept {
  const auto& pool = segment.owner_private_pool_id;
  return {.size = sizeof(GraphtapSegment),
          .device = static_cast<std::int32_t>(segment.device),
          .address = static_cast<std::uint64_t>(segment.address),
          .bytes = static_cast<std::uint64_t>(segment.total_size),
          .stream = segment.stream,
          .pool = {pool.first, pool.second},
          .expandable = segment.is_expandable ? 1u : 0u,
          .block_size = sizeof(GraphtapBlock),
          .block_count = static_cast<std::uint32_t>(segment.blocks.size()),
          .blocks = blocks};
}

void Tell(const std::vector<SegmentInfo>& segments) {
  std::size_t count = 0;
  for (const SegmentInfo& segment : segments) count += segment.blocks.size();
  std::vector<GraphtapBlock> blocks;
  blocks.reserve(count);  // so that the segments can point into it
  std::vector<GraphtapSegment> read;
  read.reserve(segments.size());
  for (const SegmentInfo& segment : segments) {
    read.push_back(Read(segment, blocks.data() + blocks.size()));
    std::uint64_t address = segment.address;
    for (const BlockInfo& block : segment.blocks) {
      blocks.push_back(Read(block, address));
      address += block.size;
    }
  }
  const GraphtapAllocatorState state{.size = sizeof(GraphtapAllocatorState),
                                     .segment_size = sizeof(GraphtapSegment),
                                     .segment_count = static_cast<std::uint32_t>(read.size()),
                                     .segments = read.data()};
  Host().allocator_state(&state);
}

}  // namespace

void TellAllocatorState(CUDAAllocator* allocator) noexcept {
  if (Host().allocator_state == nullptr) return;
  try {
    Tell(Snapshot(allocator).segments);
  } catch (...) {
    // Not told.
  }
}

}  // namespace graphtap::torch
