// Array: what a file of arrays (.npy, .safetensors) says of one of them: type, shape, and where in
// the file its elements lie, little-endian, in C order.
// Owner: whoever parsed it. Threads: a value. Failure: SizeOf gives nullopt where a size does not
// fit. Units: bytes, elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proto/dtype.h"

namespace graphtap::arrays {

// The bytes of one element, as they were in memory.
using Element = std::array<std::byte, 16>;

// No array has more axes: numpy's limit.
inline constexpr std::size_t kMostAxes = 64;

struct Array {
  std::string name;               // of a tensor in a .safetensors; empty: a .npy
  Dtype dtype = Dtype::kUnknown;  // kUnknown: elements that graphtap cannot calculate with
  std::vector<std::uint64_t> shape{};
  std::uint64_t offset = 0, bytes = 0;
};

// Bytes of an array of this shape.
inline std::optional<std::uint64_t> SizeOf(std::span<const std::uint64_t> shape,
                                           std::uint64_t element_bytes) {
  std::uint64_t size = element_bytes;
  for (const std::uint64_t axis : shape) {
    if (__builtin_mul_overflow(size, axis, &size)) return std::nullopt;
  }
  return size;
}

}  // namespace graphtap::arrays
