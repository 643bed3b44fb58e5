// What device code needs to be compiled as C++ and run on a CPU: CUDA's words, indices, and the
// functions in which threads of a block meet. RunBlock() runs the threads of one block in turns,
// each until it waits for others. Owner: none. Threads: one block at a time. Failure: none.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#define __device__
#define __global__
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ inline

namespace device_code {

struct Index {
  unsigned x;
};

constexpr unsigned kThreads = 256;

// Runs `thread` as each thread of block `block`.
void RunBlock(unsigned block, const std::function<void()>& thread);

// Waits until all threads of the warp have come here with their 64 bits; gives those of the thread
// whose index in the warp differs by exclusive or with `distance`.
std::uint64_t Exchange(std::uint64_t bits, unsigned distance);

}  // namespace device_code

extern device_code::Index threadIdx, blockIdx;

using std::isinf;
using std::isnan;
using std::max;
using std::min;

inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }

__extension__ using WideWord = unsigned __int128;
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<WideWord>(a) * b >> 64);
}

// Waits until all threads of the block have come here.
void __syncthreads();

template <typename Value>
Value __shfl_xor_sync(unsigned, Value value, unsigned distance) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  bits = device_code::Exchange(bits, distance);
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  for (unsigned d = 16; d != 0; d /= 2) value += __shfl_xor_sync(mask, value, d);
  return value;
}

inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  for (unsigned d = 16; d != 0; d /= 2) value = max(value, __shfl_xor_sync(mask, value, d));
  return value;
}
