// How tensors are cut into the blocks of a probe. Owner: none. Threads: pure functions, any.
// Failure: none. Units: bytes, blocks.
#pragma once

#include <algorithm>

#include "interpose/probe/kernels/arguments.h"

namespace graphtap::probe {

// Share of a block in a probe that reads `total` bytes in all. 528 blocks are four for each
// multiprocessor of the largest GPUs: fewer starve them, more pay for more reductions. Smaller GPUs
// run the blocks in turns.
constexpr unsigned BlockBytes(Word total) {
  constexpr Word kBlocks = 528;
  const Word share = (total + kBlocks - 1) / kBlocks;
  const Word rounded = (share + kMinBlockBytes - 1) / kMinBlockBytes * kMinBlockBytes;
  return static_cast<unsigned>(std::clamp<Word>(rounded, kMinBlockBytes, kMaxBlockBytes));
}

// How many blocks work on a tensor.
constexpr Word BlockCount(const Tensor& tensor) {
  const Word bytes = std::max(tensor.bytes, tensor.copy_bytes);
  return bytes == 0 ? 1 : (bytes - 1) / tensor.block_bytes + 1;
}

// How many Records they leave: those of blocks 0, 1, and so on.
constexpr Word RecordCount(const Tensor& tensor) {
  if (tensor.bytes != 0) return (tensor.bytes - 1) / tensor.block_bytes + 1;
  return tensor.statistics == static_cast<unsigned>(Statistics::kNone) ? 0 : 1;
}

}  // namespace graphtap::probe
