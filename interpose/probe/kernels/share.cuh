// How a block reads its share of a tensor. Nearly all shares are plain: from a multiple of 16,
// whole lanes, nothing to copy. Their code has no calls, so that nothing of the rest lies between
// it. Device code.
#pragma once

#include "interpose/probe/kernels/hash.cuh"
#include "interpose/probe/kernels/lane.cuh"

namespace graphtap::probe {

// A round of the block: each of its threads has as many lanes in flight.
constexpr unsigned kRoundLanes = kLanesInFlight * kProbeThreads;

// The lanes that a thread reads at once: `first`, `first` + kProbeThreads, and so on, as far as
// they are there.
template <bool kPlain, unsigned kCount, bool kAllThere>
__device__ __forceinline__ void LoadBatch(const Lanes& lanes, unsigned first,
                                          Lane (&batch)[kLanesInFlight]) {
  const Word address = lanes.address + first * kLaneBytes;
  constexpr unsigned kStride = kProbeThreads * kLaneBytes;
  if (kPlain || address % kLaneBytes == 0) {
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
      if (kAllThere || first + i * kProbeThreads < lanes.whole) {
        batch[i] = LoadAligned(address + i * kStride);
      }
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
      if (kAllThere || first + i * kProbeThreads < lanes.whole) {
        batch[i] = LoadAny(address + i * kStride, kLaneBytes);
      }
    }
  }
}

// Copies the lanes to `target`, a multiple of 16.
template <typename Source>
__device__ __forceinline__ void Copy(const Source& lanes, Word target) {
  Lane batch[kLanesInFlight];
#pragma unroll 1
  for (unsigned lane = threadIdx.x; lane < lanes.whole; lane += kRoundLanes) {
    LoadBatch<false, kLanesInFlight, false>(lanes, lane, batch);
#pragma unroll
    for (unsigned i = 0; i < kLanesInFlight; ++i) {
      const unsigned number = lane + i * kProbeThreads;
      if (number < lanes.whole) StoreWords(target + number * kLaneBytes, batch[i].words);
    }
  }
  if (threadIdx.x < lanes.last_bytes) {
    const unsigned at = lanes.whole * kLaneBytes + threadIdx.x;
    *reinterpret_cast<unsigned char*>(target + at) = lanes.Byte(at);
  }
}

// Reads the thread's whole lanes; returns its part of the hash.
template <bool kPlain, typename Source, typename Accumulator>
__device__ __forceinline__ Word ReadWhole(const Source& lanes, Accumulator& accumulator) {
  unsigned lane = threadIdx.x;
  Hash hash(lanes.number + lane);
  Lane batch[kLanesInFlight];
#pragma unroll 1
  for (; lane + (kRoundLanes - kProbeThreads) < lanes.whole; lane += kRoundLanes) {
    LoadBatch<kPlain, kLanesInFlight, true>(lanes, lane, batch);
#pragma unroll
    for (unsigned i = 0; i < kLanesInFlight; ++i) hash.Add(batch[i], i * kProbeThreads);
    accumulator.Add(batch);
    hash.Advance(kRoundLanes);
  }
  // The last round has fewer lanes.
  LoadBatch<kPlain, kLanesInFlight - 1, false>(lanes, lane, batch);
#pragma unroll
  for (unsigned i = 0; i < kLanesInFlight - 1; ++i) {
    if (lane + i * kProbeThreads >= lanes.whole) continue;
    hash.Add(batch[i], i * kProbeThreads);
    accumulator.Add(batch[i]);
  }
  return hash.sum();
}

// Reads the thread's lanes, with the last one, of which there are fewer bytes.
template <bool kPlain, typename Source, typename Accumulator>
__device__ __forceinline__ Word Read(const Source& lanes, Accumulator& accumulator) {
  const Word sum = ReadWhole<kPlain>(lanes, accumulator);
  if (kPlain) return sum;
  // It belongs to the thread whose turn it would be: its warp may have to read it again.
  if (threadIdx.x != lanes.whole % kProbeThreads || lanes.last_bytes == 0) return sum;
  const Lane last = lanes.Any(lanes.whole, lanes.last_bytes);
  accumulator.AddLast(last, lanes.last_bytes);
  Hash hash(lanes.number + lanes.whole);
  hash.Add(last);
  return sum + hash.sum();
}

}  // namespace graphtap::probe
