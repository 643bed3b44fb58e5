// Shape: where the elements of a tensor lie that do not lie in C order, brought to as few
// dimensions and as large pieces as can be. Probes read them in C order: lexicographic order of the
// indices. Pure. Owner: the planned site. Threads: a value. Failure: a tensor that no probe can
// read has none; bad_alloc. Units: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interpose/probe/kernels/arguments.h"
#include "interpose/record/op_records.h"

namespace graphtap::probe {

struct Dimension {
  std::uint64_t size = 0;   // the innermost: in pieces
  std::int64_t stride = 0;  // 0: the same element each time

  bool operator==(const Dimension&) const = default;
};

// Without dimensions: all lies in C order.
struct Shape {
  std::uint32_t piece_bytes = 0;      // kernels/arguments.h: Strides
  std::vector<Dimension> dimensions;  // the outermost first

  bool operator==(const Shape&) const = default;
};

// Of a tensor that has elements. nullopt: more than kMostDimensions are left, or an address is
// beyond 64 bits.
std::optional<Shape> ShapeOf(const record::Tensor& tensor);

// From the first byte that is touched to the last one, gaps included. `bytes`: of all elements,
// which counts where there are no dimensions.
struct Memory {
  std::uint64_t address = 0, bytes = 0;
};
Memory MemoryOf(const Shape& shape, std::uint64_t address, std::uint64_t bytes);

// As the kernel takes them; the shape has dimensions.
Strides StridesOf(const Shape& shape);

}  // namespace graphtap::probe
