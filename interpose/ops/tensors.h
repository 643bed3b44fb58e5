// Tensors: what an adapter tells of a tensor, as a record. Pure functions, any thread.
// Failure: bad_alloc. Units: bytes, elements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interpose/abi/adapter.h"
#include "interpose/record/op_records.h"

namespace graphtap::ops {

// `size`: of one of the `count`.
std::vector<record::Tensor> Tensors(const GraphtapTensor* tensors, std::uint32_t size,
                                    std::uint32_t count);

// Those that `told` lists: an op at its begin, or a result.
template <typename Structure>
std::vector<record::Tensor> Tensors(const Structure& told) {
  return Tensors(told.tensors, told.tensor_size, told.tensor_count);
}

// Its elements lie in C order, one behind the other.
bool InCOrder(const record::Tensor& tensor);

// As an operand of a node. `tensor` is of one of `ops`, and of a gradient `op` says of which.
// nullopt: nothing of it lies on a device.
std::optional<record::Operand> OperandOf(const record::Tensor& tensor,
                                         const std::shared_ptr<const std::vector<record::Op>>& ops,
                                         std::optional<std::uint32_t> op = std::nullopt);

}  // namespace graphtap::ops
