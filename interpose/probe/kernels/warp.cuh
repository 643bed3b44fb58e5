// Reductions over the 32 threads of a warp; every thread gets the result. Device code.
#pragma once

#include "interpose/probe/kernels/arguments.h"

namespace graphtap::probe {

constexpr unsigned kWarpThreads = 32;
constexpr unsigned kAllThreads = 0xffffffff;

// Over groups of kThreads threads, in a fixed order, so that floating-point sums have the same bits
// in each run.
template <unsigned kThreads = kWarpThreads, typename Value>
__device__ __forceinline__ Value ShuffledSum(Value value) {
#pragma unroll
  for (unsigned distance = kThreads / 2; distance != 0; distance /= 2) {
    value += __shfl_xor_sync(kAllThreads, value, distance);
  }
  return value;
}

__device__ __forceinline__ float WarpSum(float value) { return ShuffledSum(value); }
__device__ __forceinline__ double WarpSum(double value) { return ShuffledSum(value); }

__device__ __forceinline__ unsigned WarpSum(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kAllThreads, value);
#else
  return ShuffledSum(value);
#endif
}

__device__ __forceinline__ unsigned WarpMax(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kAllThreads, value);
#else
#pragma unroll
  for (unsigned distance = kWarpThreads / 2; distance != 0; distance /= 2) {
    value = max(value, __shfl_xor_sync(kAllThreads, value, distance));
  }
  return value;
#endif
}

// Modulo 2^64.
__device__ __forceinline__ Word WarpSum(Word value) {
#if __CUDA_ARCH__ >= 800
  // Pieces of which 32 fit into 32 bits: three instructions in place of ten shuffles.
  constexpr unsigned kPieceBits = 27;
  constexpr unsigned kPieceMask = (1u << kPieceBits) - 1;
  const Word low = WarpSum(static_cast<unsigned>(value) & kPieceMask);
  const Word middle = WarpSum(static_cast<unsigned>(value >> kPieceBits) & kPieceMask);
  const Word high = WarpSum(static_cast<unsigned>(value >> 2 * kPieceBits));
  return low + (middle << kPieceBits) + (high << 2 * kPieceBits);
#else
  return ShuffledSum(value);
#endif
}

}  // namespace graphtap::probe
