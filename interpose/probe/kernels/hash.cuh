// The hash of proto/digest.h, lane by lane. Device code.
#pragma once

#include "interpose/probe/kernels/lane.cuh"

namespace graphtap::probe {

constexpr Word kStep = 0x9E3779B97F4A7C15;
constexpr Word kLowStart = 0x243F6A8885A308D3;
constexpr Word kHighStart = 0x13198A2E03707344;

// The sum of the mixed lanes, and what the next lanes are mixed with. The product of lane number
// and kStep is carried along, since a 64-bit multiplication for each lane would cost as much as the
// mixing itself.
class Hash {
 public:
  __device__ explicit Hash(Word lane)
      : low_(kLowStart + lane * kStep), high_(kHighStart - lane * kStep) {}

  // Mixes the lane that lies `ahead` lanes behind the current one.
  __device__ __forceinline__ void Add(const Lane& lane, unsigned ahead = 0) {
    const Word k = ahead * kStep;
    const Word low = (lane.words[0] | static_cast<Word>(lane.words[1]) << 32) ^ (low_ + k);
    const Word high = (lane.words[2] | static_cast<Word>(lane.words[3]) << 32) ^ (high_ - k);
    sum_ += (low * high) ^ __umul64hi(low, high);
  }

  __device__ __forceinline__ void Advance(unsigned lanes) {
    low_ += lanes * kStep;
    high_ -= lanes * kStep;
  }

  __device__ Word sum() const { return sum_; }

 private:
  Word low_, high_;
  Word sum_ = 0;
};

}  // namespace graphtap::probe
