// Elements of 16 bits, two in each word: float16 and bfloat16. Device code.
#pragma once

#include "interpose/probe/kernels/elements.cuh"
#include "interpose/probe/kernels/primitives.cuh"

namespace graphtap::probe {

// Two elements of 16 bits in each word. Type gives them as float32, and takes minima and maxima of
// pairs.
template <typename Type>
struct Halves {
  static constexpr unsigned kBytes = 2;

  __device__ static float At(const Lane& lane, unsigned index) {
    return index % 2 == 0 ? Type::Low(lane.words[index / 2]) : Type::High(lane.words[index / 2]);
  }

  __device__ static Sums SumsOf(const Lane& lane) {
    Sums pairs[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const float low = Type::Low(lane.words[i]), high = Type::High(lane.words[i]);
      pairs[i] = {low + high, fmaf(low, low, high * high)};
    }
    return (pairs[0] + pairs[1]) + (pairs[2] + pairs[3]);
  }

  // Zeros have the same bits in both types. At most 128 pairs are counted: exact in float16.
  __device__ void AddZeros(const Lane& lane) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      zeros = AddFloat16Pairs(zeros, Float16PairIsZero(lane.words[i]));
    }
  }

  __device__ unsigned Zeros() const {
    return static_cast<unsigned>(Float16Low(zeros) + Float16High(zeros));
  }

#if __CUDA_ARCH__ >= 800
  __device__ void AddBounds(const Lane& lane) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      least = Type::Min(least, lane.words[i]);
      greatest = Type::Max(greatest, lane.words[i]);
    }
  }

  __device__ float Least() const { return fminf(Type::Low(least), Type::High(least)); }
  __device__ float Greatest() const { return fmaxf(Type::Low(greatest), Type::High(greatest)); }

  unsigned least = Type::kInfinities, greatest = Type::kInfinities | 0x80008000;
#else
  __device__ void AddBounds(const Lane& lane) {
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) {
      least = fminf(least, At(lane, i));
      greatest = fmaxf(greatest, At(lane, i));
    }
  }

  __device__ float Least() const { return least; }
  __device__ float Greatest() const { return greatest; }

  float least = Infinity(), greatest = -Infinity();
#endif
  unsigned zeros = 0;  // two float16
};

struct Bfloat16Pair {
  static constexpr unsigned kInfinities = 0x7f807f80;

  __device__ static float Low(unsigned pair) { return __uint_as_float(pair << 16); }
  __device__ static float High(unsigned pair) { return __uint_as_float(pair & 0xffff0000); }
#if __CUDA_ARCH__ >= 800
  __device__ static unsigned Min(unsigned a, unsigned b) { return MinBfloat16Pairs(a, b); }
  __device__ static unsigned Max(unsigned a, unsigned b) { return MaxBfloat16Pairs(a, b); }
#endif
};

struct Float16Pair {
  static constexpr unsigned kInfinities = 0x7c007c00;

  __device__ static float Low(unsigned pair) { return Float16Low(pair); }
  __device__ static float High(unsigned pair) { return Float16High(pair); }
#if __CUDA_ARCH__ >= 800
  __device__ static unsigned Min(unsigned a, unsigned b) { return MinFloat16Pairs(a, b); }
  __device__ static unsigned Max(unsigned a, unsigned b) { return MaxFloat16Pairs(a, b); }
#endif
};

using Bfloat16 = Halves<Bfloat16Pair>;
using Float16 = Halves<Float16Pair>;

}  // namespace graphtap::probe
