#include "interpose/torch/op_tensors.h"

#include <algorithm>

#include "interpose/torch/tensors.h"

namespace graphtap::torch {
namespace {

// Calls visit(tensor) for each tensor of a value, alone or in a list; with nullptr for one that is
// optional and not given.
template <typename Visit>
void EachTensor(const c10::IValue& value, bool optional, const Visit& visit) {
  if (value.isTensor()) {
    visit(&value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) {
      if (element.isTensor()) {
        visit(&element.toTensor());
      } else if (element.isNone()) {
        visit(nullptr);
      } else {
        return;  // a list of something else
      }
    }
  } else if (optional) {
    visit(nullptr);
  }
}

}  // namespace

void ReadGradients(std::span<const c10::IValue> arguments, std::vector<GraphtapTensor>* gradients) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    GraphtapTensor read;
    if (!arguments[i].isTensor() || !ReadTensor(arguments[i].toTensor(), &read)) continue;
    read.role = GRAPHTAP_TENSOR_GRADIENT;
    read.index = static_cast<std::uint32_t>(i);
    gradients->push_back(read);
  }
}

void OpTensors::Begin(const OpFacts& facts, std::span<const c10::IValue> arguments) {
  tensors_.clear();
  written_.clear();
  extents_.clear();
  storages_.clear();
  const std::size_t count = facts.arguments.size();
  if (arguments.size() < count) return;
  arguments = arguments.last(count);
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const OpArgument& argument = facts.arguments[i];
    EachTensor(arguments[i], argument.tensor, [&](const at::Tensor* tensor) {
      if (tensor != nullptr) AddArgument(*tensor, index, argument.written);
      ++index;
    });
  }
}

void OpTensors::AddArgument(const at::Tensor& tensor, std::uint32_t index, bool written) {
  GraphtapTensor read;
  if (!ReadTensor(tensor, &read)) return;
  if (read.storage_address != 0) storages_.push_back(read.storage_address);
  if (!written) return;
  read.role = GRAPHTAP_TENSOR_INPUT;
  read.index = index;
  extents_.insert(extents_.end(), read.sizes, read.sizes + read.dimensions);
  extents_.insert(extents_.end(), read.strides, read.strides + read.dimensions);
  written_.push_back(tensor.unsafeGetTensorImpl());
  tensors_.push_back(read);
}

std::span<const GraphtapTensor> OpTensors::End(const OpFacts& facts,
                                               std::span<const c10::IValue> outputs) {
  const std::int64_t* extents = extents_.data();
  for (GraphtapTensor& tensor : tensors_) {
    tensor.sizes = extents;
    tensor.strides = extents + tensor.dimensions;
    extents += 2 * tensor.dimensions;
  }
  const std::size_t count = facts.returns.size();
  if (outputs.size() < count) return tensors_;
  outputs = outputs.last(count);
  std::sort(storages_.begin(), storages_.end());
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const OpReturn& returned = facts.returns[i];
    EachTensor(outputs[i], false, [&](const at::Tensor* tensor) {
      if (tensor != nullptr && !returned.alias) AddOutput(*tensor, index);
      if (tensor != nullptr && returned.written) ReadAgain(*tensor);
      ++index;
    });
  }
  return tensors_;
}

void OpTensors::AddOutput(const at::Tensor& tensor, std::uint32_t index) {
  GraphtapTensor read;
  if (!ReadTensor(tensor, &read)) return;
  // A view all the same, of an op whose schema does not say so.
  if (std::binary_search(storages_.begin(), storages_.end(), read.storage_address)) return;
  read.role = GRAPHTAP_TENSOR_OUTPUT;
  read.index = index;
  tensors_.push_back(read);
}

// A written argument that the op returns may have been given other memory or another shape.
void OpTensors::ReadAgain(const at::Tensor& tensor) {
  for (std::size_t i = 0; i < written_.size(); ++i) {
    GraphtapTensor& known = tensors_[i];
    GraphtapTensor read;
    if (written_[i] != tensor.unsafeGetTensorImpl() || !ReadTensor(tensor, &read)) continue;
    read.role = known.role;
    read.index = known.index;
    known = read;
  }
}

}  // namespace graphtap::torch
