// Elements of a tensor as numbers: decoded from their bytes, for statistics and comparisons. Pure
// functions, any thread. Failure: a type that has no real value is said by IsReal. Units: bytes,
// elements.
#pragma once

#include <cstddef>
#include <span>

#include "proto/dtype.h"

namespace graphtap {

// Whether elements of this type are real numbers: not the complex ones, not kUnknown.
bool IsReal(Dtype dtype) noexcept;

// The element that begins at `bytes`; 64-bit integers are rounded. NaN if the type is not real.
double ElementAt(const std::byte* bytes, Dtype dtype) noexcept;

// How many whole elements there are; 0 for kUnknown.
std::size_t ElementCount(std::span<const std::byte> bytes, Dtype dtype) noexcept;

// float16, bfloat16 and the kinds of float8, from their bits.
float FromFloat16(unsigned bits) noexcept;
float FromBfloat16(unsigned bits) noexcept;
float FromFloat8E4m3fn(unsigned bits) noexcept;
float FromFloat8E5m2(unsigned bits) noexcept;

}  // namespace graphtap
