// Statistics of a block's elements: fast in float32, or once more in float64 where that does not
// do. Device code.
#pragma once

#include "interpose/probe/kernels/elements.cuh"
#include "interpose/probe/kernels/warp.cuh"

namespace graphtap::probe {

// A float32 sum of squares between these lost nothing that counts: above, it overflowed or met what
// is not finite; below, squares may have vanished.
constexpr float kLeastSquares = 0x1p-90f;
constexpr float kGreatestSquares = 0x1.fffffep+127f;

// One warp's elements, one by one. Zeros are not counted. Out of line: it is rare, and its
// registers would be taken from the fast path.
template <typename Elements, typename Source>
__device__ __noinline__ Record SlowStatistics(Source lanes) {
  constexpr unsigned kPerLane = kLaneBytes / Elements::kBytes;
  Record record = {};
  const unsigned end = lanes.whole + (lanes.last_bytes != 0 ? 1 : 0);
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < end; i += kProbeThreads) {
    const unsigned bytes = i < lanes.whole ? kLaneBytes : lanes.last_bytes;
    const Lane lane = lanes.Any(i, bytes);
    const unsigned count = bytes / Elements::kBytes;
#pragma unroll
    for (unsigned element = 0; element < kPerLane; ++element) {
      if (element >= count) continue;
      const float value = Elements::At(lane, element);
      if (isnan(value)) {
        ++record.nan;
      } else if (isinf(value)) {
        record.positive_infinity += value > 0;
        record.negative_infinity += value < 0;
      } else {
        record.sum += value;
        record.squares += static_cast<double>(value) * value;
        record.max_key = max(record.max_key, OrderedKey(value));
        record.min_key = max(record.min_key, ~OrderedKey(value));
      }
    }
  }
  record.sum = WarpSum(record.sum);
  record.squares = WarpSum(record.squares);
  record.max_key = WarpMax(record.max_key);
  record.min_key = WarpMax(record.min_key);
  record.nan = WarpSum(record.nan);
  record.positive_infinity = WarpSum(record.positive_infinity);
  record.negative_infinity = WarpSum(record.negative_infinity);
  return record;
}

// What one thread accumulates. Sums are trees over the lanes in flight, then chains over the
// rounds: with kMaxBlockBytes, an element's rounding error passes through at most 24 additions.
template <typename Elements>
class Accumulator {
 public:
  __device__ __forceinline__ void Add(const Lane (&lanes)[kLanesInFlight]) {
    static_assert(kLanesInFlight == 4);
    chain_ = chain_ + ((Elements::SumsOf(lanes[0]) + Elements::SumsOf(lanes[1])) +
                       (Elements::SumsOf(lanes[2]) + Elements::SumsOf(lanes[3])));
#pragma unroll
    for (const Lane& lane : lanes) {
      elements_.AddBounds(lane);
      elements_.AddZeros(lane);
    }
  }

  // Two chains in turns: there may be no other lanes to make a tree with.
  __device__ __forceinline__ void Add(const Lane& lane) {
    const Sums longer = other_chain_ + Elements::SumsOf(lane);
    other_chain_ = chain_;
    chain_ = longer;
    elements_.AddBounds(lane);
    elements_.AddZeros(lane);
  }

  // The last lane of a tensor, of which there are `bytes` bytes. For the elements that are not
  // there, zeros go into the sums and NaN into the bounds.
  __device__ __forceinline__ void AddLast(const Lane& lane, unsigned bytes) {
    const unsigned present = bytes / Elements::kBytes * Elements::kBytes;
    Lane zeros, nans;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned here = min(max(present, 4 * i) - 4 * i, 4u);
      const unsigned mask = here == 4 ? 0xffffffff : (1u << here * 8) - 1;
      zeros.words[i] = lane.words[i] & mask;
      nans.words[i] = lane.words[i] | ~mask;
    }
    chain_ = chain_ + Elements::SumsOf(zeros);
    elements_.AddBounds(nans);
    elements_.AddZeros(zeros);
    absent_ = (kLaneBytes - present) / Elements::kBytes;
  }

  // Of the whole warp; `lanes` are read again where float32 does not do.
  template <typename Source>
  __device__ __forceinline__ Record OfWarp(const Source& lanes) const {
    const Sums sums = chain_ + other_chain_;
    const float squares = WarpSum(sums.squares), sum = WarpSum(sums.sum);
    const bool any = elements_.Least() <= elements_.Greatest();
    Record record = {};
    record.max_key = WarpMax(any ? OrderedKey(elements_.Greatest()) : 0);
    record.min_key = WarpMax(any ? ~OrderedKey(elements_.Least()) : 0);
    const unsigned zero = WarpSum(elements_.Zeros() - absent_);
    const bool all_zero = record.max_key <= kZeroKey && record.min_key <= ~kZeroKey;
    const bool holds = squares <= kGreatestSquares && (squares >= kLeastSquares || all_zero);
    if (holds) {
      record.sum = sum;
      record.squares = squares;
    } else {
      record = SlowStatistics<Elements>(lanes);
    }
    record.zero = zero;
    return record;
  }

 private:
  static constexpr unsigned kZeroKey = kSign;

  Sums chain_ = {}, other_chain_ = {};
  Elements elements_;
  unsigned absent_ = 0;
};

// For a hash alone.
struct NoStatistics {
  __device__ void Add(const Lane (&)[kLanesInFlight]) {}
  __device__ void Add(const Lane&) {}
  __device__ void AddLast(const Lane&, unsigned) {}
  template <typename Source>
  __device__ Record OfWarp(const Source&) const {
    return {};
  }
};

}  // namespace graphtap::probe
