// Allocator tracker: the framework's call at each event of its caching allocator, told to the host.
// Owner: the process; the framework has no way to take a tracker back. Threads: any; it runs under
// the lock of the allocator of one device, where it neither waits nor allocates. Failure: attaching
// throws what the framework throws; the tracker itself has none.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

namespace graphtap::torch {

// Once; the allocator is initialised, and its own.
void AttachTracker(c10::cuda::CUDACachingAllocator::CUDAAllocator* allocator);

}  // namespace graphtap::torch
