// Elements of a lane as float32, and what is accumulated of them: one class for each element type.
// Device code.
#pragma once

#include "interpose/probe/kernels/lane.cuh"

namespace graphtap::probe {

// Sum and sum of squares of some elements.
struct Sums {
  float sum, squares;

  __device__ Sums operator+(const Sums& other) const {
    return {sum + other.sum, squares + other.squares};
  }
};

constexpr unsigned kInfinityBits = 0x7f800000;
constexpr unsigned kSign = 0x80000000;

__device__ __forceinline__ float Infinity() { return __uint_as_float(kInfinityBits); }

// Orders float32 values as they are; 0 for no value that is not NaN (proto/digest.h: OrderedKey).
__device__ __forceinline__ unsigned OrderedKey(float value) {
  const unsigned bits = __float_as_uint(value + 0.0f);  // -0 becomes 0
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// Least and greatest value, without those that are NaN; counts of zeros.
struct Float32 {
  static constexpr unsigned kBytes = 4;

  __device__ static float At(const Lane& lane, unsigned index) {
    return __uint_as_float(lane.words[index]);
  }

  __device__ static Sums SumsOf(const Lane& lane) {
    const float a = At(lane, 0), b = At(lane, 1), c = At(lane, 2), d = At(lane, 3);
    return {(a + b) + (c + d), fmaf(a, a, b * b) + fmaf(c, c, d * d)};
  }

  __device__ void AddBounds(const Lane& lane) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      least = fminf(least, At(lane, i));
      greatest = fmaxf(greatest, At(lane, i));
    }
  }

  __device__ void AddZeros(const Lane& lane) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) zeros += At(lane, i) == 0.0f;
  }

  __device__ float Least() const { return least; }
  __device__ float Greatest() const { return greatest; }
  __device__ unsigned Zeros() const { return zeros; }

  float least = Infinity(), greatest = -Infinity();
  unsigned zeros = 0;
};

}  // namespace graphtap::probe
