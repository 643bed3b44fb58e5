#include "tests/jobs/mirror/kernels.h"

__global__ void advance(unsigned* state, unsigned words, unsigned step) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) state[i] += step + i;
}

__global__ void combine(const unsigned* in, unsigned* out, unsigned words, unsigned factor,
                        unsigned add) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) out[i] = in[i] * factor + add + i;
}

__global__ void twist(const unsigned* in, unsigned* out, unsigned words, unsigned factor,
                      unsigned add) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) out[i] = (in[i] ^ add) * factor + i * i;
}

__global__ void blend(const unsigned* a, const unsigned* b, unsigned* out, unsigned words) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) out[i] = a[i] * 31 + b[i] + i;
}

__global__ void join(const unsigned* a, const unsigned* b, unsigned* out, unsigned words) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) out[i] = out[i] * 5 + ((a[i] * 7) ^ b[i]);
}

__global__ void choose(cudaGraphConditionalHandle condition, const unsigned* in, unsigned choices) {
  if (blockIdx.x + threadIdx.x == 0) cudaGraphSetConditional(condition, in[0] % choices);
}

__global__ void count_down(cudaGraphConditionalHandle condition, unsigned* left) {
  if (blockIdx.x + threadIdx.x != 0) return;
  left[0] -= 1;
  cudaGraphSetConditional(condition, left[0] != 0);
}

namespace mirror {

const char* NameOf(Function function) {
  switch (function) {
    case Function::kAdvance:
      return "advance";
    case Function::kCombine:
      return "combine";
    case Function::kTwist:
      return "twist";
    case Function::kBlend:
      return "blend";
    case Function::kChoose:
      return "choose";
    case Function::kCountDown:
      return "count_down";
    case Function::kJoin:
      break;
  }
  return "join";
}

void* SymbolOf(Function function) {
  switch (function) {
    case Function::kAdvance:
      return reinterpret_cast<void*>(&advance);
    case Function::kCombine:
      return reinterpret_cast<void*>(&combine);
    case Function::kTwist:
      return reinterpret_cast<void*>(&twist);
    case Function::kBlend:
      return reinterpret_cast<void*>(&blend);
    case Function::kChoose:
      return reinterpret_cast<void*>(&choose);
    case Function::kCountDown:
      return reinterpret_cast<void*>(&count_down);
    case Function::kJoin:
      break;
  }
  return reinterpret_cast<void*>(&join);
}

}  // namespace mirror
