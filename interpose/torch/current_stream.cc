#include "interpose/torch/current_stream.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

namespace graphtap::torch {

void* CurrentStream() noexcept {
  try {
    // Set up together with all else of CUDA, by the first that needs it.
    auto* allocator = c10::cuda::CUDACachingAllocator::get();
    if (allocator == nullptr || !allocator->initialized()) return nullptr;
    // By number: the form without one makes a context on a device that was only chosen so far.
    c10::DeviceIndex device = -1;
    if (c10::cuda::GetDevice(&device) != cudaSuccess || device < 0) return nullptr;
    return c10::cuda::getCurrentCUDAStream(device).stream();
  } catch (...) {
    return nullptr;
  }
}

}  // namespace graphtap::torch
