// Cases: tensors of all sizes, alignments, types and kinds of data that the probe kernels are
// checked with. Owner: the check. Threads: one. Failure: none. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proto/dtype.h"

namespace probe_test {

enum class Data { kNormal, kSpecial, kZero, kNan, kTiny, kHuge, kConstant, kOffset };

struct Axis {
  std::size_t size = 0;
  std::ptrdiff_t stride = 0;  // elements
};

struct Case {
  std::size_t bytes = 0;       // to digest
  std::size_t copy_bytes = 0;  // to copy
  std::size_t alignment = 0;   // the address is this much more than a multiple of 256
  graphtap::Dtype dtype = graphtap::Dtype::kUnknown;
  Data data = Data::kNormal;
  unsigned block_bytes = 4096;
  // Of a tensor that does not lie in C order.
  std::size_t item = 0;  // bytes of an element
  std::vector<Axis> axes{};

  std::size_t extent() const { return bytes > copy_bytes ? bytes : copy_bytes; }
  std::string Describe() const;
};

// What a case's tensor is in memory, and where in it its first element is.
struct Placement {
  std::vector<std::byte> memory;
  std::size_t origin = 0;
};

// For machines and checkers that are slow.
struct Limits {
  std::size_t most_bytes = SIZE_MAX;  // of a case
  std::size_t most_cases = SIZE_MAX;  // a sample, the same in each run
};

std::vector<Case> Within(std::vector<Case> cases, const Limits& limits);
std::vector<Case> CasesWithin(const Limits& limits);
std::vector<Case> StridedCasesWithin(const Limits& limits);

// The bytes of a case's tensor: the same in each run.
std::vector<std::byte> BytesFor(const Case& one);

// Lays the bytes as the axes say, with others between them. Where elements lie over one another
// the last one is left of them, in `bytes` too.
Placement Place(const Case& one, std::vector<std::byte>* bytes);

}  // namespace probe_test
