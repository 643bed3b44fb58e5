// The kernels that graphtap puts into graphs. arguments.h says what they are told and what they
// leave; each block works on a share of one tensor and leaves one record with plain stores, so that
// nothing must be zeroed before and the bits are the same in each run.
#include "interpose/probe/kernels/arguments.h"
#include "interpose/probe/kernels/halves.cuh"
#include "interpose/probe/kernels/share.cuh"
#include "interpose/probe/kernels/statistics.cuh"
#include "interpose/probe/kernels/strided.cuh"
#include "interpose/probe/kernels/warp.cuh"

namespace graphtap::probe {

constexpr unsigned kWarps = kProbeThreads / kWarpThreads;
// Four blocks fill the threads of a multiprocessor half; that many must fit with their registers.
constexpr unsigned kBlocksPerMultiprocessor = 4;
// The record of the thread's warp.
template <bool kPlain, typename Accumulator, typename Source>
__device__ __forceinline__ Record OfWarp(const Source& lanes) {
  Accumulator accumulator;
  const Word hash = Read<kPlain>(lanes, accumulator);
  Record record = accumulator.OfWarp(lanes);
  record.hash = WarpSum(hash);
  return record;
}

// Joins the records of the warps, in shared memory, to that of the block. Called by the first warp.
__device__ __forceinline__ Record JoinWarps(const Record* warps) {
  Record record = {};
  if (threadIdx.x < kWarps) record = warps[threadIdx.x];
  record.hash = WarpSum(record.hash);
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

// The hash of a share, as a record. One thread adds the warps' hashes: a reduction would take
// three instructions that wait for one another.
template <bool kPlain, typename Source>
__device__ __forceinline__ void HashShare(const Source& lanes, const Cell* cell, Word record) {
  __shared__ Word hashes[kWarps];
  NoStatistics none;
  const Word hash = WarpSum(Read<kPlain>(lanes, none));
  if (threadIdx.x % kWarpThreads == 0) hashes[threadIdx.x / kWarpThreads] = hash;
  __syncthreads();
  if (threadIdx.x != 0) return;
  Record joined = {};
#pragma unroll
  for (unsigned i = 0; i < kWarps; ++i) joined.hash += hashes[i];
  *reinterpret_cast<Record*>(cell->slot + record) = joined;
}

// The cell is read at the very end, though that read is waited for: under way earlier, it would
// share its counter of outstanding loads with those of the tensor, which would wait for one
// another.
template <bool kStatistics, bool kPlain, typename Source>
__device__ __forceinline__ void DigestShare(const Source& lanes, Statistics statistics,
                                            const Cell* cell, Word record_offset) {
  if (!kStatistics) {
    HashShare<kPlain>(lanes, cell, record_offset);
    return;
  }
  __shared__ Record warps[kWarps];
  Record record;
  if (statistics == Statistics::kFloat32) {
    record = OfWarp<kPlain, Accumulator<Float32>>(lanes);
  } else if (statistics == Statistics::kBfloat16) {
    record = OfWarp<kPlain, Accumulator<Bfloat16>>(lanes);
  } else if (statistics == Statistics::kFloat16) {
    record = OfWarp<kPlain, Accumulator<Float16>>(lanes);
  } else {
    record = OfWarp<kPlain, NoStatistics>(lanes);
  }
  if (threadIdx.x % kWarpThreads == 0) warps[threadIdx.x / kWarpThreads] = record;
  __syncthreads();
  if (threadIdx.x >= kWarpThreads) return;
  record = JoinWarps(warps);
  if (threadIdx.x != 0) return;
  *reinterpret_cast<Record*>(cell->slot + record_offset) = record;
}

// A share that is not plain, or empty. Out of line: the code of the others shall be short.
template <bool kStatistics>
__device__ __noinline__ void RareShare(Tensor tensor, unsigned block, const Cell* cell) {
  const Word first = static_cast<Word>(block) * tensor.block_bytes;
  const Word end = first + tensor.block_bytes;
  if (first < tensor.copy_bytes) {
    const Lanes lanes = LanesOf(tensor.address, first, min(end, tensor.copy_bytes));
    Copy(lanes, cell->slot + tensor.copy + first);
  }
  const auto statistics = static_cast<Statistics>(tensor.statistics);
  if (first >= tensor.bytes && (block != 0 || statistics == Statistics::kNone)) return;
  const Lanes lanes = LanesOf(tensor.address, min(first, tensor.bytes), min(end, tensor.bytes));
  DigestShare<kStatistics, false>(lanes, statistics, cell, tensor.records + block * sizeof(Record));
}

// A share of a tensor that does not lie in C order.
__device__ __forceinline__ void StridedShare(const Tensor& tensor, unsigned block,
                                             const Cell* cell) {
  const Word first = static_cast<Word>(block) * tensor.block_bytes;
  const Word end = first + tensor.block_bytes;
  if (first < tensor.copy_bytes) {
    const auto lanes = StridedLanes::Of(first, min(end, tensor.copy_bytes));
    Copy(lanes, cell->slot + tensor.copy + first);
  }
  const auto statistics = static_cast<Statistics>(tensor.statistics);
  if (first >= tensor.bytes && (block != 0 || statistics == Statistics::kNone)) return;
  const auto lanes = StridedLanes::Of(min(first, tensor.bytes), min(end, tensor.bytes));
  DigestShare<true, false>(lanes, statistics, cell, tensor.records + block * sizeof(Record));
}

// In a graph of the job's own the probe runs in every replay, and perhaps not in every sampled one.
// False: the replay is not sampled. Out of line: the code of the others shall be short.
__device__ __noinline__ bool Stamp(const Cell* cell, Word stamp) {
  const Word slot = cell->slot;
  if (slot != 0 && blockIdx.x == 0 && threadIdx.x == 0) *reinterpret_cast<Word*>(slot + stamp) = 1;
  return slot != 0;
}

// What the block has to do.
template <bool kStatistics>
__device__ __forceinline__ void Probe(const ProbeArguments& arguments) {
  const bool works = blockIdx.x < arguments.first_block[kTensorsPerProbe];
  const unsigned index = TensorOf(arguments);
  const Tensor& tensor = arguments.tensors[index];
  const unsigned block = blockIdx.x - arguments.first_block[index];
  const Word first = static_cast<Word>(block) * tensor.block_bytes;
  const Word end = min(first + tensor.block_bytes, tensor.bytes);
  if (!works) return;
  if (__builtin_expect(arguments.stamp != 0, 0) && !Stamp(arguments.cell, arguments.stamp)) return;
  const bool rare = first < tensor.copy_bytes || first >= tensor.bytes ||
                    (tensor.address | end) % kLaneBytes != 0;
  if (__builtin_expect(rare, 0)) {
    RareShare<kStatistics>(tensor, block, arguments.cell);
    return;
  }
  DigestShare<kStatistics, true>(LanesOf(tensor.address, first, end),
                                 static_cast<Statistics>(tensor.statistics), arguments.cell,
                                 tensor.records + block * sizeof(Record));
}

extern "C" __global__ void __launch_bounds__(1) graphtap_head(HeadArguments arguments) {
  *arguments.cell = {arguments.slot, arguments.replay};
  if (arguments.slot == 0) return;
  auto* header = reinterpret_cast<SlotHeader*>(arguments.slot);
  *header = {arguments.replay, arguments.executable};
  auto* stamps = reinterpret_cast<Word*>(header + 1);
  for (Word i = 0; i < arguments.stamps; ++i) stamps[i] = 0;
}

extern "C" __global__ void __launch_bounds__(kProbeThreads, kBlocksPerMultiprocessor)
    graphtap_hash(const __grid_constant__ ProbeArguments arguments) {
  Probe<false>(arguments);
}

extern "C" __global__ void __launch_bounds__(kProbeThreads, kBlocksPerMultiprocessor)
    graphtap_digest(const __grid_constant__ ProbeArguments arguments) {
  Probe<true>(arguments);
}

extern "C" __global__ void __launch_bounds__(kProbeThreads, kBlocksPerMultiprocessor)
    graphtap_strided(const __grid_constant__ StridedArguments arguments) {
  const ProbeArguments& probe = arguments.probe;
  if (blockIdx.x >= probe.first_block[kTensorsPerProbe]) return;
  if (probe.stamp != 0 && !Stamp(probe.cell, probe.stamp)) return;
  const unsigned index = TensorOf(probe);
  if (threadIdx.x == 0) SetTensor(probe.tensors[index].address, arguments.strides[index]);
  __syncthreads();
  StridedShare(probe.tensors[index], blockIdx.x - probe.first_block[index], probe.cell);
}

}  // namespace graphtap::probe
