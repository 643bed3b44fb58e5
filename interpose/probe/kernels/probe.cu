// The kernels that graphtap puts into graphs. arguments.h says what they are told and what they
// leave; each block works on a share of one tensor and leaves one record with plain stores, so that
// nothing must be zeroed before and the bits are the same in each run.
#include "interpose/probe/kernels/arguments.h"
#include "interpose/probe/kernels/halves.cuh"
#include "interpose/probe/kernels/hash.cuh"
#include "interpose/probe/kernels/lane.cuh"
#include "interpose/probe/kernels/statistics.cuh"
#include "interpose/probe/kernels/warp.cuh"

namespace graphtap::probe {

constexpr unsigned kWarps = kProbeThreads / kWarpThreads;
// Four blocks fill the threads of a multiprocessor half; that many must fit with their registers.
constexpr unsigned kBlocksPerMultiprocessor = 4;
// A round of the block: each of its threads has as many lanes in flight.
constexpr unsigned kRoundLanes = kLanesInFlight * kProbeThreads;

// The lanes that a thread reads at once: `first`, `first` + kProbeThreads, and so on, as far as
// they are there.
template <unsigned kCount, bool kAllThere>
__device__ __forceinline__ void LoadBatch(const Lanes& lanes, unsigned first,
                                          Lane (&batch)[kLanesInFlight]) {
  const Word address = lanes.address + first * kLaneBytes;
  constexpr unsigned kStride = kProbeThreads * kLaneBytes;
  const bool aligned = address % kLaneBytes == 0;
  if (aligned) {
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
__device__ __forceinline__ void Copy(const Lanes& lanes, Word target) {
  Lane batch[kLanesInFlight];
#pragma unroll 1
  for (unsigned lane = threadIdx.x; lane < lanes.whole; lane += kRoundLanes) {
    LoadBatch<kLanesInFlight, false>(lanes, lane, batch);
#pragma unroll
    for (unsigned i = 0; i < kLanesInFlight; ++i) {
      const unsigned number = lane + i * kProbeThreads;
      if (number < lanes.whole) StoreWords(target + number * kLaneBytes, batch[i].words);
    }
  }
  if (threadIdx.x < lanes.last_bytes) {
    const unsigned at = lanes.whole * kLaneBytes + threadIdx.x;
    *reinterpret_cast<unsigned char*>(target + at) =
        *reinterpret_cast<const unsigned char*>(lanes.address + at);
  }
}

// Reads the thread's lanes; returns its part of the hash.
template <typename Accumulator>
__device__ __forceinline__ Word Read(const Lanes& lanes, Accumulator& accumulator) {
  unsigned lane = threadIdx.x;
  Hash hash(lanes.number + lane);
  Lane batch[kLanesInFlight];
#pragma unroll 1
  for (; lane + (kRoundLanes - kProbeThreads) < lanes.whole; lane += kRoundLanes) {
    LoadBatch<kLanesInFlight, true>(lanes, lane, batch);
#pragma unroll
    for (unsigned i = 0; i < kLanesInFlight; ++i) hash.Add(batch[i], i * kProbeThreads);
    accumulator.Add(batch);
    hash.Advance(kRoundLanes);
  }
  // The last round has fewer lanes.
  LoadBatch<kLanesInFlight - 1, false>(lanes, lane, batch);
#pragma unroll
  for (unsigned i = 0; i < kLanesInFlight - 1; ++i) {
    if (lane + i * kProbeThreads >= lanes.whole) continue;
    hash.Add(batch[i], i * kProbeThreads);
    accumulator.Add(batch[i]);
  }
  // The last lane belongs to the thread whose turn it would be: its warp may have to read it again.
  if (threadIdx.x != lanes.whole % kProbeThreads || lanes.last_bytes == 0) return hash.sum();
  const Lane last = LoadAny(lanes.address + lanes.whole * kLaneBytes, lanes.last_bytes);
  accumulator.AddLast(last, lanes.last_bytes);
  Hash of_last(lanes.number + lanes.whole);
  of_last.Add(last);
  return hash.sum() + of_last.sum();
}

// The record of the thread's warp.
template <typename Accumulator>
__device__ __forceinline__ Record OfWarp(const Lanes& lanes) {
  Accumulator accumulator;
  const Word hash = Read(lanes, accumulator);
  Record record = accumulator.OfWarp(lanes);
  record.hash = WarpSum(hash);
  return record;
}

// Joins the records of the warps, in shared memory, to that of the block. Called by the first warp.
template <bool kStatistics>
__device__ __forceinline__ Record JoinWarps(const Record* warps) {
  Record record = {};
  if (threadIdx.x < kWarps) record = warps[threadIdx.x];
  record.hash = WarpSum(record.hash);
  if (!kStatistics) return record;
  record.sum = ShuffledSum<kWarps>(record.sum);
  record.squares = ShuffledSum<kWarps>(record.squares);
  record.max_key = WarpMax(record.max_key);
  record.min_key = WarpMax(record.min_key);
  record.nan = WarpSum(record.nan);
  record.positive_infinity = WarpSum(record.positive_infinity);
  record.negative_infinity = WarpSum(record.negative_infinity);
  record.zero = WarpSum(record.zero);
  return record;
}

// Which tensor the block works on. No search: that would wait for one read after the other.
__device__ __forceinline__ unsigned TensorOf(const ProbeArguments& arguments) {
  unsigned index = 0;
#pragma unroll
  for (unsigned i = 1; i < kTensorsPerProbe; ++i) index += blockIdx.x >= arguments.first_block[i];
  return index;
}

// What the block has to do.
template <bool kStatistics>
__device__ __forceinline__ void Probe(const ProbeArguments& arguments) {
  __shared__ Record warps[kWarps];
  const bool works = blockIdx.x < arguments.first_block[kTensorsPerProbe];
  // Asked for at once and used at the end, so that nobody waits for it.
  const Word slot = works ? arguments.cell->slot : 0;
  const unsigned index = TensorOf(arguments);
  const Tensor tensor = arguments.tensors[index];
  const unsigned block = blockIdx.x - arguments.first_block[index];
  const Word first = static_cast<Word>(block) * tensor.block_bytes;
  const Word end = first + tensor.block_bytes;
  if (!works) return;
  if (first < tensor.copy_bytes) {
    const Lanes lanes = LanesOf(tensor.address, first, min(end, tensor.copy_bytes));
    Copy(lanes, slot + tensor.copy + first);
  }
  const auto statistics = static_cast<Statistics>(tensor.statistics);
  if (first >= tensor.bytes && (block != 0 || statistics == Statistics::kNone)) return;
  const Lanes lanes = LanesOf(tensor.address, first, min(end, tensor.bytes));
  Record record;
  if (!kStatistics || statistics == Statistics::kNone) {
    record = OfWarp<NoStatistics>(lanes);
  } else if (statistics == Statistics::kFloat32) {
    record = OfWarp<Accumulator<Float32>>(lanes);
  } else if (statistics == Statistics::kBfloat16) {
    record = OfWarp<Accumulator<Bfloat16>>(lanes);
  } else {
    record = OfWarp<Accumulator<Float16>>(lanes);
  }
  if (threadIdx.x % kWarpThreads == 0) warps[threadIdx.x / kWarpThreads] = record;
  __syncthreads();
  if (threadIdx.x >= kWarpThreads) return;
  record = JoinWarps<kStatistics>(warps);
  if (threadIdx.x != 0) return;
  *reinterpret_cast<Record*>(slot + tensor.records + block * sizeof(Record)) = record;
}

extern "C" __global__ void __launch_bounds__(1) graphtap_head(HeadArguments arguments) {
  *arguments.cell = {arguments.slot, arguments.replay};
  *reinterpret_cast<SlotHeader*>(arguments.slot) = {arguments.replay, arguments.executable};
}

extern "C" __global__ void __launch_bounds__(kProbeThreads, kBlocksPerMultiprocessor)
    graphtap_hash(const __grid_constant__ ProbeArguments arguments) {
  Probe<false>(arguments);
}

extern "C" __global__ void __launch_bounds__(kProbeThreads, kBlocksPerMultiprocessor)
    graphtap_digest(const __grid_constant__ ProbeArguments arguments) {
  Probe<true>(arguments);
}

}  // namespace graphtap::probe
