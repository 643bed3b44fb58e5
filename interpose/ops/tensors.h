// Tensors: what an adapter tells of a tensor, as a record. Pure functions, any thread.
// Failure: bad_alloc. Units: bytes, elements.
#pragma once

#include <cstdint>
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

}  // namespace graphtap::ops
