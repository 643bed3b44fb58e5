// Arguments: a node of the model in the forms that the runtime and the driver take. The forms point
// into the object, which must outlive the call that takes them. Owner: the caller. Threads: one.
// Failure: ends the job. Units: bytes, where the model has words.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <array>
#include <cstddef>

#include "tests/jobs/mirror/model.h"

namespace mirror {

class KernelArguments {
 public:
  explicit KernelArguments(const Node& node);
  KernelArguments(const KernelArguments&) = delete;
  KernelArguments& operator=(const KernelArguments&) = delete;

  cudaKernelNodeParams Runtime();
  CUDA_KERNEL_NODE_PARAMS_v1 DriverV1();
  CUDA_KERNEL_NODE_PARAMS_v2 DriverV2();
  // With the arguments packed in one buffer.
  CUDA_KERNEL_NODE_PARAMS_v2 DriverPacked();

 private:
  template <typename Value>
  void Add(Value& value);

  const Node& node_;
  const unsigned* source_;
  const unsigned* second_;
  unsigned* target_;
  unsigned words_, factor_, add_;
  CUgraphConditionalHandle condition_ = 0;
  std::array<void*, 5> pointers_{};
  std::size_t count_ = 0;
  alignas(8) std::array<std::byte, 40> packed_{};
  std::size_t packed_bytes_ = 0;
  std::array<void*, 5> extra_{};
};

cudaMemsetParams FillArguments(const Node& node);
cudaMemcpy3DParms CopyArguments(const Node& node);
CUDA_MEMCPY3D DriverCopyArguments(const Node& node);
cudaHostNodeParams HostArguments(const Node& node);
CUcontext CurrentContext();

}  // namespace mirror
