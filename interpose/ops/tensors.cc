#include "interpose/ops/tensors.h"

#include <cstddef>

#include "interpose/abi/complete.h"

namespace graphtap::ops {
namespace {

record::Tensor One(const GraphtapTensor& given) {
  record::Tensor tensor;
  tensor.role = given.role == GRAPHTAP_TENSOR_INPUT ? record::Role::kInput : record::Role::kOutput;
  tensor.index = given.index;
  tensor.dtype = given.dtype;
  tensor.sizes.assign(given.sizes, given.sizes + given.dimensions);
  tensor.strides.assign(given.strides, given.strides + given.dimensions);
  if (given.device >= 0) tensor.device = static_cast<std::uint32_t>(given.device);
  tensor.address = given.address;
  tensor.bytes = given.item_bytes;
  for (const std::int64_t size : tensor.sizes) tensor.bytes *= static_cast<std::uint64_t>(size);
  tensor.storage_address = given.storage_address;
  tensor.storage_bytes = given.storage_bytes;
  return tensor;
}

}  // namespace

std::vector<record::Tensor> Tensors(const GraphtapOpResult& result) {
  std::vector<record::Tensor> tensors;
  const auto* at = reinterpret_cast<const std::byte*>(result.tensors);
  for (std::uint32_t i = 0; i < result.tensor_count; ++i, at += result.tensor_size) {
    const auto* given = reinterpret_cast<const GraphtapTensor*>(at);
    tensors.push_back(One(abi::Complete(given, result.tensor_size)));
  }
  return tensors;
}

bool InCOrder(const record::Tensor& tensor) {
  if (tensor.bytes == 0) return true;
  std::int64_t step = 1;
  for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
    if (tensor.sizes[i] == 1) continue;
    if (tensor.strides[i] != step) return false;
    step *= tensor.sizes[i];
  }
  return true;
}

}  // namespace graphtap::ops
