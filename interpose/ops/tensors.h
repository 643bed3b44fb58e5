// Tensors: what an adapter tells of a tensor, as a record. Pure functions, any thread.
// Failure: bad_alloc. Units: bytes, elements.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "interpose/abi/adapter.h"
#include "interpose/record/op_records.h"

namespace graphtap::ops {

// A structure of an adapter that was built on another day: what it does not have is zero.
template <typename Structure>
Structure Complete(const Structure* given, std::uint32_t size) {
  Structure complete{};
  std::memcpy(&complete, given, std::min<std::size_t>(size, sizeof(Structure)));
  return complete;
}

// Those that `result` lists.
std::vector<record::Tensor> Tensors(const GraphtapOpResult& result);

// Its elements lie in C order, one behind the other.
bool InCOrder(const record::Tensor& tensor);

}  // namespace graphtap::ops
