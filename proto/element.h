// Elements of a tensor as numbers: decoded from their bytes, for statistics and comparisons. Pure
// functions, any thread. Failure: a type that has no real value is said by IsReal. Units: bytes,
// elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "proto/dtype.h"

namespace graphtap {

// Whether elements of this type are real numbers: not the complex ones, not kUnknown.
bool IsReal(Dtype dtype) noexcept;

// The first `values.size()` elements; 64-bit integers are rounded. NaN if the type is not real.
void Decode(std::span<const std::byte> bytes, Dtype dtype, std::span<double> values) noexcept;

// The one that begins at `bytes`.
inline double ElementAt(const std::byte* bytes, Dtype dtype) noexcept {
  double value = 0;
  Decode({bytes, DtypeBytes(dtype)}, dtype, {&value, 1});
  return value;
}

// Calls take(value) for each whole element, in order; for none if the type is not real.
template <typename Take>
void ForElements(std::span<const std::byte> bytes, Dtype dtype, Take take) noexcept;

// How many whole elements there are; 0 for kUnknown.
std::size_t ElementCount(std::span<const std::byte> bytes, Dtype dtype) noexcept;

// float16, bfloat16 and the kinds of float8, from their bits.
float FromFloat16(unsigned bits) noexcept;
float FromBfloat16(unsigned bits) noexcept;
float FromFloat8E4m3fn(unsigned bits) noexcept;
float FromFloat8E5m2(unsigned bits) noexcept;

template <typename Take>
void ForElements(std::span<const std::byte> bytes, Dtype dtype, Take take) noexcept {
  if (!IsReal(dtype)) return;
  std::array<double, 512> values;
  for (std::size_t left = ElementCount(bytes, dtype); left != 0;) {
    const auto some = std::span(values).first(std::min(left, values.size()));
    Decode(bytes, dtype, some);
    for (double value : some) take(value);
    bytes = bytes.subspan(some.size() * DtypeBytes(dtype));
    left -= some.size();
  }
}

}  // namespace graphtap
