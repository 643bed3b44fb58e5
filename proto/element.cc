#include "proto/element.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace graphtap {
namespace {

template <typename Value>
Value Read(const std::byte* bytes) noexcept {
  Value value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// A small binary float of the IEEE layout; its exponent is not all ones.
float FromFinite(unsigned bits, int mantissa_bits, int exponent_bits) noexcept {
  const unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  const unsigned exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  const bool negative = (bits >> (mantissa_bits + exponent_bits) & 1) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned significand = exponent == 0 ? mantissa : mantissa | 1u << mantissa_bits;
  const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - bias - mantissa_bits;
  const float magnitude = std::ldexp(static_cast<float>(significand), scale);
  return negative ? -magnitude : magnitude;
}

// The same with infinities and NaNs where the exponent is all ones.
float FromIeee(unsigned bits, int mantissa_bits, int exponent_bits) noexcept {
  const unsigned ones = (1u << exponent_bits) - 1;
  if ((bits >> mantissa_bits & ones) != ones) return FromFinite(bits, mantissa_bits, exponent_bits);
  if ((bits & ((1u << mantissa_bits) - 1)) != 0) return std::numeric_limits<float>::quiet_NaN();
  const bool negative = (bits >> (mantissa_bits + exponent_bits) & 1) != 0;
  const float infinity = std::numeric_limits<float>::infinity();
  return negative ? -infinity : infinity;
}

}  // namespace

float FromFloat16(unsigned bits) noexcept { return FromIeee(bits, 10, 5); }

float FromBfloat16(unsigned bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
}

// Without infinities; all ones behind the sign is NaN.
float FromFloat8E4m3fn(unsigned bits) noexcept {
  if ((bits & 0x7f) == 0x7f) return std::numeric_limits<float>::quiet_NaN();
  return FromFinite(bits, 3, 4);
}

float FromFloat8E5m2(unsigned bits) noexcept { return FromIeee(bits, 2, 5); }

bool IsReal(Dtype dtype) noexcept {
  return DtypeBytes(dtype) != 0 && dtype != Dtype::kComplex64 && dtype != Dtype::kComplex128;
}

double ElementAt(const std::byte* bytes, Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::kFloat16:
      return FromFloat16(Read<std::uint16_t>(bytes));
    case Dtype::kBfloat16:
      return FromBfloat16(Read<std::uint16_t>(bytes));
    case Dtype::kFloat32:
      return Read<float>(bytes);
    case Dtype::kFloat64:
      return Read<double>(bytes);
    case Dtype::kInt8:
      return Read<std::int8_t>(bytes);
    case Dtype::kInt16:
      return Read<std::int16_t>(bytes);
    case Dtype::kInt32:
      return Read<std::int32_t>(bytes);
    case Dtype::kInt64:
      return static_cast<double>(Read<std::int64_t>(bytes));
    case Dtype::kUint8:
      return Read<std::uint8_t>(bytes);
    case Dtype::kUint16:
      return Read<std::uint16_t>(bytes);
    case Dtype::kUint32:
      return Read<std::uint32_t>(bytes);
    case Dtype::kUint64:
      return static_cast<double>(Read<std::uint64_t>(bytes));
    case Dtype::kBool:
      return Read<std::uint8_t>(bytes) == 0 ? 0 : 1;
    case Dtype::kFloat8E4m3fn:
      return FromFloat8E4m3fn(Read<std::uint8_t>(bytes));
    case Dtype::kFloat8E5m2:
      return FromFloat8E5m2(Read<std::uint8_t>(bytes));
    case Dtype::kUnknown:
    case Dtype::kComplex64:
    case Dtype::kComplex128:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::size_t ElementCount(std::span<const std::byte> bytes, Dtype dtype) noexcept {
  const std::size_t size = DtypeBytes(dtype);
  return size == 0 ? 0 : bytes.size() / size;
}

}  // namespace graphtap
