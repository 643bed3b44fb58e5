// Accumulated: the tensor that the backward node which the engine runs on this thread adds its
// gradient to: a parameter, a leaf of the program. Threads: any. Failure: 0: it is no such node, or
// the tensor has no plain memory. Units: an address.
#pragma once

#include <cstdint>

namespace graphtap::torch {

std::uint64_t AccumulatedInto() noexcept;

}  // namespace graphtap::torch
