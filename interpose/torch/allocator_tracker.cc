#include "interpose/torch/allocator_tracker.h"

#include <optional>

#include "interpose/torch/host.h"

namespace graphtap::torch {
namespace {

using c10::cuda::CUDACachingAllocator::TraceEntry;

std::optional<GraphtapAllocatorAction> ActionOf(TraceEntry::Action action) noexcept {
  switch (action) {
    case TraceEntry::ALLOC:
      return GRAPHTAP_ALLOC;
    case TraceEntry::FREE_REQUESTED:
      return GRAPHTAP_FREE_REQUESTED;
    case TraceEntry::FREE_COMPLETED:
      return GRAPHTAP_FREE_COMPLETED;
    case TraceEntry::SEGMENT_ALLOC:
      return GRAPHTAP_SEGMENT_ALLOC;
    case TraceEntry::SEGMENT_FREE:
      return GRAPHTAP_SEGMENT_FREE;
    case TraceEntry::SEGMENT_MAP:
      return GRAPHTAP_SEGMENT_MAP;
    case TraceEntry::SEGMENT_UNMAP:
      return GRAPHTAP_SEGMENT_UNMAP;
    case TraceEntry::OOM:
      return GRAPHTAP_OUT_OF_MEMORY;
    default:  // that a state was taken, and what later releases add
      return std::nullopt;
  }
}

// Older releases do not tell the pool of an event.
template <typename Entry>
GraphtapPool PoolOf(const Entry& entry) noexcept {
  if constexpr (requires { entry.mempool_; }) {
    return {entry.mempool_.first, entry.mempool_.second};
  } else {
    return {0, 0};
  }
}

void OnEntry(const TraceEntry& entry) noexcept {
  const auto action = ActionOf(entry.action_);
  if (!action) return;
  const GraphtapAllocatorEvent event{.size = sizeof(GraphtapAllocatorEvent),
                                     .action = static_cast<std::uint32_t>(*action),
                                     .device = entry.device_,
                                     .address = static_cast<std::uint64_t>(entry.addr_),
                                     .bytes = static_cast<std::uint64_t>(entry.size_),
                                     .stream = entry.stream_,
                                     .pool = PoolOf(entry)};
  Host().allocator_event(&event);
}

// Without the allocator's lock, unlike the event.
void OnOutOfMemory(std::int64_t device, std::size_t bytes, std::size_t, std::size_t) noexcept {
  const GraphtapOutOfMemory failure{.size = sizeof(GraphtapOutOfMemory),
                                    .device = static_cast<std::int32_t>(device),
                                    .bytes = static_cast<std::uint64_t>(bytes)};
  Host().out_of_memory(&failure);
}

}  // namespace

void AttachTracker(c10::cuda::CUDACachingAllocator::CUDAAllocator* allocator) {
  allocator->attachAllocatorTraceTracker(&OnEntry);
  if (Host().out_of_memory != nullptr) allocator->attachOutOfMemoryObserver(&OnOutOfMemory);
}

}  // namespace graphtap::torch
