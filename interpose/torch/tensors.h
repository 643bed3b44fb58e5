// Tensors: reads where a tensor lies and how, without a side effect on it: no copy of it is kept,
// lazy memory stays lazy, nothing of a subclass in Python is called. Pure functions, any thread
// that may use the tensor. Failure: a tensor without plain memory of the CPU or a GPU is not read.
// Units: bytes, elements.
#pragma once

#include <ATen/core/Tensor.h>

#include "interpose/abi/adapter.h"

namespace graphtap::torch {

// Fills in all but role and index; sizes and strides point into the tensor. False, and nothing
// filled in: undefined, meta, fake, sparse, nested, functional, of symbolic sizes, or freed.
bool ReadTensor(const at::Tensor& tensor, GraphtapTensor* read) noexcept;

}  // namespace graphtap::torch
