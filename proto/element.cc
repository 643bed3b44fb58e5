#include "proto/element.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>

namespace graphtap {
namespace {

template <typename Stored, typename Convert = std::identity>
void DecodeWith(std::span<const std::byte> bytes, std::span<double> values,
                Convert convert = {}) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(stored), sizeof(stored));
    values[i] = static_cast<double>(convert(stored));
  }
}

// A small binary float of the IEEE layout; its exponent is not all ones. Its bits, moved to where a
// float has them, are right but for the bias of the exponent, also where they are subnormal.
float FromFinite(unsigned bits, int mantissa_bits, int exponent_bits) noexcept {
  const int magnitude_bits = mantissa_bits + exponent_bits;
  const unsigned magnitude = bits & ((1u << magnitude_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto rebias = std::bit_cast<float>((127u + 127u - static_cast<unsigned>(bias)) << 23);
  const float value = std::bit_cast<float>(magnitude << (23 - mantissa_bits)) * rebias;
  return (bits >> magnitude_bits & 1) != 0 ? -value : value;
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

bool IsReal(Dtype dtype) noexcept { return DtypeBytes(dtype) != 0 && !IsComplex(dtype); }

void Decode(std::span<const std::byte> bytes, Dtype dtype, std::span<double> values) noexcept {
  switch (dtype) {
    case Dtype::kFloat16:
      return DecodeWith<std::uint16_t>(bytes, values, FromFloat16);
    case Dtype::kBfloat16:
      return DecodeWith<std::uint16_t>(bytes, values, FromBfloat16);
    case Dtype::kFloat32:
      return DecodeWith<float>(bytes, values);
    case Dtype::kFloat64:
      return DecodeWith<double>(bytes, values);
    case Dtype::kInt8:
      return DecodeWith<std::int8_t>(bytes, values);
    case Dtype::kInt16:
      return DecodeWith<std::int16_t>(bytes, values);
    case Dtype::kInt32:
      return DecodeWith<std::int32_t>(bytes, values);
    case Dtype::kInt64:
      return DecodeWith<std::int64_t>(bytes, values);
    case Dtype::kUint8:
      return DecodeWith<std::uint8_t>(bytes, values);
    case Dtype::kUint16:
      return DecodeWith<std::uint16_t>(bytes, values);
    case Dtype::kUint32:
      return DecodeWith<std::uint32_t>(bytes, values);
    case Dtype::kUint64:
      return DecodeWith<std::uint64_t>(bytes, values);
    case Dtype::kBool:
      return DecodeWith<std::uint8_t>(bytes, values, [](unsigned byte) { return byte != 0; });
    case Dtype::kFloat8E4m3fn:
      return DecodeWith<std::uint8_t>(bytes, values, FromFloat8E4m3fn);
    case Dtype::kFloat8E5m2:
      return DecodeWith<std::uint8_t>(bytes, values, FromFloat8E5m2);
    case Dtype::kUnknown:
    case Dtype::kComplex64:
    case Dtype::kComplex128:
      break;
  }
  std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
}

std::size_t ElementCount(std::span<const std::byte> bytes, Dtype dtype) noexcept {
  const std::size_t size = DtypeBytes(dtype);
  return size == 0 ? 0 : bytes.size() / size;
}

}  // namespace graphtap
