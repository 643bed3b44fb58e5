#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "tests/rules/kernels.h"

__global__ void rule_add_to(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

__global__ void rule_wait_for_flag(const int* flag, int* gave_up) {
  const volatile int* watched = flag;
  for (long long i = 0; i < 10'000'000; ++i) {
    if (*watched != 0) return;
    __nanosleep(1000);
  }
  *gave_up = 1;
}

__global__ void rule_rendezvous(int* arrivals, int* met, long long limit_us) {
  atomicAdd(arrivals, 1);
  for (long long i = 0; i < limit_us; ++i) {
    if (atomicAdd(arrivals, 0) >= 2) {
      *met = 1;
      return;
    }
    __nanosleep(1000);
  }
  atomicSub(arrivals, 1);  // a later kernel must not take this one for present
}

__global__ void rule_store_at(int* address, int value) { *address = value; }

__global__ void rule_copy_ints(const int* from, int* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

__global__ void rule_mixed(char tag, double weight, rules::Packet packet, int* out) {
  *out = tag + packet.tag + static_cast<int>(weight + packet.weight) + packet.values[2];
}

__global__ void rule_set_conditional(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}

__global__ void rule_count_down(cudaGraphConditionalHandle handle, int* left) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0);
}

namespace rules {
namespace {

template <typename Kernel>
CUfunction Load(Kernel* kernel) {
  cudaFunction_t function = nullptr;
  const cudaError_t error = cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(kernel));
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  const CUresult loaded = cuFuncLoad(function);
  if (loaded != CUDA_SUCCESS) throw std::runtime_error("cuFuncLoad: " + std::to_string(loaded));
  return function;
}

}  // namespace

CUfunction AddTo() { return Load(&rule_add_to); }
CUfunction WaitForFlag() { return Load(&rule_wait_for_flag); }
CUfunction Rendezvous() { return Load(&rule_rendezvous); }
CUfunction StoreAt() { return Load(&rule_store_at); }
CUfunction CopyInts() { return Load(&rule_copy_ints); }
CUfunction Mixed() { return Load(&rule_mixed); }
CUfunction SetConditional() { return Load(&rule_set_conditional); }
CUfunction CountDown() { return Load(&rule_count_down); }

}  // namespace rules
