// Tensors: what an adapter tells of a tensor, as a record. Pure functions, any thread.
// Failure: bad_alloc. Units: bytes, elements.
#pragma once

#include <vector>

#include "interpose/abi/adapter.h"
#include "interpose/record/op_records.h"

namespace graphtap::ops {

// Those that `result` lists.
std::vector<record::Tensor> Tensors(const GraphtapOpResult& result);

// Its elements lie in C order, one behind the other.
bool InCOrder(const record::Tensor& tensor);

}  // namespace graphtap::ops
