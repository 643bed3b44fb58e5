// What the probe kernels are measured against. Compiled for tests alone.
#include "interpose/probe/kernels/lane.cuh"

namespace graphtap::probe {

// Words that are finite numbers between 1 and 2, of either sign, in each of the element types.
extern "C" __global__ void fill(unsigned* words, Word count, unsigned seed) {
  for (Word i = blockIdx.x * Word{blockDim.x} + threadIdx.x; i < count;
       i += Word{gridDim.x} * blockDim.x) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u + seed;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    words[i] = (x & 0x807f807f) | 0x3f803f80;
  }
}

extern "C" __global__ void fill_nan(unsigned* words, Word count) {
  for (Word i = blockIdx.x * Word{blockDim.x} + threadIdx.x; i < count;
       i += Word{gridDim.x} * blockDim.x) {
    words[i] = 0x7fff7fff;
  }
}

// Reads as a probe does, and no more: blocks, threads, loads in flight are the same.
extern "C" __global__ void __launch_bounds__(kProbeThreads)
    plain_read(Word address, Word bytes, unsigned block_bytes, unsigned* out) {
  const Word first = Word{blockIdx.x} * block_bytes;
  const Lanes lanes = LanesOf(address, first, min(first + block_bytes, bytes));
  unsigned mixed = 0;
  unsigned lane = threadIdx.x;
#pragma unroll 1
  for (; lane + (kLanesInFlight - 1) * kProbeThreads < lanes.whole;
       lane += kLanesInFlight * kProbeThreads) {
    Lane batch[kLanesInFlight];
#pragma unroll
    for (unsigned i = 0; i < kLanesInFlight; ++i) {
      batch[i] = LoadAligned(lanes.address + (lane + i * kProbeThreads) * kLaneBytes);
    }
#pragma unroll
    for (const Lane& one : batch) {
      mixed ^= one.words[0] ^ one.words[1] ^ one.words[2] ^ one.words[3];
    }
  }
#pragma unroll 1
  for (; lane < lanes.whole; lane += kProbeThreads) {
    const Lane one = LoadAligned(lanes.address + lane * kLaneBytes);
    mixed ^= one.words[0] ^ one.words[1] ^ one.words[2] ^ one.words[3];
  }
  if (mixed == 0x12345678) *out = mixed;  // never; the compiler cannot know
}

// A link of a chain: one step of elementwise work.
extern "C" __global__ void scale_add(const float* in, float* out, Word count, float a, float b) {
  for (Word i = blockIdx.x * Word{blockDim.x} + threadIdx.x; i < count;
       i += Word{gridDim.x} * blockDim.x) {
    out[i] = in[i] * a + b;
  }
}

}  // namespace graphtap::probe
