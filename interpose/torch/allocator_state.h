// Allocator state: all segments and blocks of the framework's caching allocator, told to the host.
// Owner: borrowed for the host's call. Threads: any. Failure: where the framework cannot say, or
// memory is short, nothing is told. Takes the allocator's locks, one device after the other, and
// calls nothing of CUDA.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

namespace graphtap::torch {

void TellAllocatorState(c10::cuda::CUDACachingAllocator::CUDAAllocator* allocator) noexcept;

}  // namespace graphtap::torch
