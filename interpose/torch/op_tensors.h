// Op tensors: what one leaf op gives and writes. Arguments are read when it begins, since the
// framework drops them before its kernel runs; outputs when it ends. Owner: the thread, whose leaf
// ops follow one another; buffers are kept for the next. Threads: one. Failure: bad_alloc; a tensor
// that cannot be read is left out, the indices of the others stay.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <span>
#include <vector>

#include "interpose/abi/adapter.h"
#include "interpose/torch/op_facts.h"

namespace graphtap::torch {

// Adds the tensors that flow into a node of the backward pass; their memory is that of `arguments`.
void ReadGradients(std::span<const c10::IValue> arguments, std::vector<GraphtapTensor>* gradients);

class OpTensors {
 public:
  // The values may have others before them, which belong to the caller of the op.
  void Begin(const OpFacts& facts, std::span<const c10::IValue> arguments);

  // Valid until the next Begin(), and while `outputs` are.
  std::span<const GraphtapTensor> End(const OpFacts& facts, std::span<const c10::IValue> outputs);

 private:
  void AddArgument(const at::Tensor& tensor, std::uint32_t index, bool written);
  void AddOutput(const at::Tensor& tensor, std::uint32_t index);
  void ReadAgain(const at::Tensor& tensor);

  std::vector<GraphtapTensor> tensors_;  // first the written arguments, then the outputs
  // Of each written argument. Only compared: the tensor may be gone.
  std::vector<const void*> written_;
  std::vector<std::int64_t> extents_;    // sizes and strides of the written arguments, in order
  std::vector<std::uint64_t> storages_;  // addresses of the memory of all arguments
};

}  // namespace graphtap::torch
