// Bench: what hashes and digests cost, beside a plain read of the same bytes by the same blocks,
// and inside a chain of small kernels. Each figure is a median of rounds that alternate with their
// base, in one process. Owner: main. Threads: one. Failure: none. Units: bytes, microseconds.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tests/gpu/probe/gpu.h"

namespace probe_test {

// A probe of one tensor that lies in no cache, against a plain read of it.
struct ReadRow {
  std::string probe;  // "hash", "digest float32", …
  std::size_t bytes = 0;
  double read_us = 0, probe_us = 0;
  double ratio = 0;   // read / probe
  double bar = 0;     // the least ratio; 0: none
  double spread = 0;  // the greatest difference of two bases of a round, as a part

  bool holds() const { return ratio >= bar; }
};

// A probe behind each kernel of a chain.
struct ChainRow {
  std::string probe;
  std::size_t bytes = 0;
  double base_us = 0, probed_us = 0;  // of a whole chain
  double added_us = 0;                // a tensor
  double bar = 0;                     // the most; 0: none
  double spread = 0;

  bool holds() const { return bar == 0 || added_us <= bar; }
};

std::vector<ReadRow> BenchReads(const Gpu& gpu, CUmodule kernels, CUmodule bases);
std::vector<ChainRow> BenchChain(const Gpu& gpu, CUmodule kernels, CUmodule bases);

}  // namespace probe_test
