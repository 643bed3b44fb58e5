#include "interpose/torch/accumulated.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include "interpose/torch/tensors.h"

namespace graphtap::torch {

std::uint64_t AccumulatedInto() noexcept {
  // A pointer that counts, of one kind or another by the release.
  const auto node = ::torch::autograd::get_current_node();
  const auto* accumulate = dynamic_cast<const ::torch::autograd::AccumulateGrad*>(node.get());
  GraphtapTensor read;
  if (accumulate == nullptr || !ReadTensor(accumulate->variable, &read)) return 0;
  return read.address;
}

}  // namespace graphtap::torch
