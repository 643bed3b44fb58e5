// What the device code needs of PTX beyond CUDA's own functions. Tests put another file of this
// name in its place, which does the same on a CPU. Device code.
#pragma once

#include "interpose/probe/kernels/arguments.h"

namespace graphtap::probe {

// 16 bytes from a multiple of 16. A tensor is read once: its lines need not stay in the first
// cache.
__device__ __forceinline__ void LoadWords(Word address, unsigned (&words)[4]) {
  asm("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
      : "l"(address));
}

__device__ __forceinline__ void StoreWords(Word address, const unsigned (&words)[4]) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(words[0]),
               "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}

// Of two float16 in a word.
__device__ __forceinline__ float Float16Low(unsigned pair) {
  float value;
  asm("{ .reg .f16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(value) : "r"(pair));
  return value;
}

__device__ __forceinline__ float Float16High(unsigned pair) {
  float value;
  asm("{ .reg .f16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }" : "=f"(value) : "r"(pair));
  return value;
}

__device__ __forceinline__ unsigned AddFloat16Pairs(unsigned a, unsigned b) {
  unsigned sums;
  asm("add.f16x2 %0, %1, %2;" : "=r"(sums) : "r"(a), "r"(b));
  return sums;
}

// 1.0 for each half that is 0 or -0, else 0.
__device__ __forceinline__ unsigned Float16PairIsZero(unsigned pair) {
  unsigned ones;
  asm("set.eq.f16x2.f16x2 %0, %1, %2;" : "=r"(ones) : "r"(pair), "r"(0));
  return ones;
}

// Of the halves of two words; NaN only if both are.
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned MinFloat16Pairs(unsigned a, unsigned b) {
  unsigned least;
  asm("min.f16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
  return least;
}

__device__ __forceinline__ unsigned MaxFloat16Pairs(unsigned a, unsigned b) {
  unsigned greatest;
  asm("max.f16x2 %0, %1, %2;" : "=r"(greatest) : "r"(a), "r"(b));
  return greatest;
}

__device__ __forceinline__ unsigned MinBfloat16Pairs(unsigned a, unsigned b) {
  unsigned least;
  asm("min.bf16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
  return least;
}

__device__ __forceinline__ unsigned MaxBfloat16Pairs(unsigned a, unsigned b) {
  unsigned greatest;
  asm("max.bf16x2 %0, %1, %2;" : "=r"(greatest) : "r"(a), "r"(b));
  return greatest;
}
#endif

}  // namespace graphtap::probe
