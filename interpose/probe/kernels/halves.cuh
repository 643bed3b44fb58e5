// Elements of 16 bits, two in each word: float16 and bfloat16. Device code.
#pragma once

#include "interpose/probe/kernels/elements.cuh"

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
      unsigned ones;
      asm("set.eq.f16x2.f16x2 %0, %1, %2;" : "=r"(ones) : "r"(lane.words[i]), "r"(0));
      asm("add.f16x2 %0, %1, %2;" : "=r"(zeros) : "r"(zeros), "r"(ones));
    }
  }

  __device__ unsigned Zeros() const {
    float low, high;
    asm("{ .reg .f16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
        : "=f"(low), "=f"(high)
        : "r"(zeros));
    return static_cast<unsigned>(low + high);
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
  __device__ static unsigned Min(unsigned a, unsigned b) {
    unsigned least;
    asm("min.bf16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
    return least;
  }
  __device__ static unsigned Max(unsigned a, unsigned b) {
    unsigned greatest;
    asm("max.bf16x2 %0, %1, %2;" : "=r"(greatest) : "r"(a), "r"(b));
    return greatest;
  }
#endif
};

struct Float16Pair {
  static constexpr unsigned kInfinities = 0x7c007c00;

  __device__ static float Low(unsigned pair) {
    float value;
    asm("{ .reg .f16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(value) : "r"(pair));
    return value;
  }
  __device__ static float High(unsigned pair) {
    float value;
    asm("{ .reg .f16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }" : "=f"(value) : "r"(pair));
    return value;
  }
#if __CUDA_ARCH__ >= 800
  __device__ static unsigned Min(unsigned a, unsigned b) {
    unsigned least;
    asm("min.f16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
    return least;
  }
  __device__ static unsigned Max(unsigned a, unsigned b) {
    unsigned greatest;
    asm("max.f16x2 %0, %1, %2;" : "=r"(greatest) : "r"(a), "r"(b));
    return greatest;
  }
#endif
};

using Bfloat16 = Halves<Bfloat16Pair>;
using Float16 = Halves<Float16Pair>;

}  // namespace graphtap::probe
