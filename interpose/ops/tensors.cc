#include "interpose/ops/tensors.h"

#include <cstddef>

#include "interpose/abi/complete.h"

namespace graphtap::ops {
namespace {

record::Role RoleOf(std::uint32_t role) {
  switch (role) {
    case GRAPHTAP_TENSOR_INPUT:
      return record::Role::kInput;
    case GRAPHTAP_TENSOR_GRADIENT:
      return record::Role::kGradient;
    default:
      return record::Role::kOutput;
  }
}

record::Tensor One(const GraphtapTensor& given) {
  record::Tensor tensor;
  tensor.role = RoleOf(given.role);
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

std::vector<record::Tensor> Tensors(const GraphtapTensor* tensors, std::uint32_t size,
                                    std::uint32_t count) {
  std::vector<record::Tensor> result;
  const auto* at = reinterpret_cast<const std::byte*>(tensors);
  for (std::uint32_t i = 0; i < count; ++i, at += size) {
    result.push_back(One(abi::Complete(reinterpret_cast<const GraphtapTensor*>(at), size)));
  }
  return result;
}

std::optional<record::Operand> OperandOf(const record::Tensor& tensor,
                                         const std::shared_ptr<const std::vector<record::Op>>& ops,
                                         std::optional<std::uint32_t> op) {
  if (!tensor.device || tensor.bytes == 0) return std::nullopt;
  record::Operand operand;
  operand.role = tensor.role;
  operand.parameter = tensor.index;
  operand.address = tensor.address;
  operand.grade = record::Grade::kOp;
  operand.extent = tensor.bytes;
  operand.exact = true;
  operand.dtype = tensor.dtype;
  operand.strided = !InCOrder(tensor);
  operand.tensor = {ops, &tensor};
  operand.op = op;
  return operand;
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
