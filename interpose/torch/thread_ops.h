// Thread ops: what the adapter keeps for each thread that calls ops. Owner: the process; it is
// never freed, since a range may end after the thread that began it, and the next thread gets it.
// Threads: each its own. Failure: nullptr where memory is short, and on a thread that is ending.
#pragma once

#include "interpose/torch/op_tensors.h"
#include "interpose/torch/open_ops.h"

namespace graphtap::torch {

struct ThreadOps {
  OpenOps open;
  OpTensors leaf;                         // of the open leaf
  std::vector<GraphtapTensor> gradients;  // of the op that begins
  bool busy = false;                      // inside a callback: what it calls is not watched

  static ThreadOps* Get() noexcept;
};

}  // namespace graphtap::torch
