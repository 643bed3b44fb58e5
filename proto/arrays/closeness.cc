#include "proto/arrays/closeness.h"

#include <bit>
#include <cmath>
#include <limits>

namespace graphtap::arrays {
namespace {

float RoundToFloat16(float value) {
  if (!std::isfinite(value) || value == 0) return value;
  constexpr int kMantissaBits = 10, kLowestExponent = -14;
  const int exponent = std::max(std::ilogb(value), kLowestExponent);
  const float unit = std::ldexp(1.0f, exponent - kMantissaBits);
  const float rounded = std::nearbyint(value / unit) * unit;  // both steps exact but the rounding
  if (std::abs(rounded) < 65536.0f) return rounded;
  return std::copysign(std::numeric_limits<float>::infinity(), value);
}

float RoundToBfloat16(float value) {
  if (!std::isfinite(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u);
}

float Round(Dtype dtype, float value) { return RoundTo(dtype, value); }
double Round(Dtype, double value) { return value; }

bool IsNan(float value) { return std::isnan(value); }
bool IsNan(double value) { return std::isnan(value); }
template <typename T>
bool IsNan(std::complex<T> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

template <typename Real>
bool IsWithin(Real error, Real scaled_reference, Dtype dtype, const Tolerance& tolerance) {
  const Real allowed = Round(dtype, static_cast<Real>(tolerance.atol) + scaled_reference);
  return std::isfinite(error) && error <= allowed;
}

template <typename Real, typename Value>
bool IsCloseIn(Value candidate, Value reference, Dtype dtype, const Tolerance& tolerance) {
  if (candidate == reference) return true;
  if (tolerance.equal_nan && IsNan(candidate) && IsNan(reference)) return true;
  if (tolerance.rtol == 0 && tolerance.atol == 0) return false;
  const auto scale = static_cast<Real>(tolerance.rtol);
  if constexpr (std::is_same_v<Real, Value>) {
    const Real scaled = std::abs(Round(dtype, scale * reference));
    return IsWithin(std::abs(Round(dtype, candidate - reference)), scaled, dtype, tolerance);
  } else {
    return IsWithin(std::abs(candidate - reference), std::abs(scale * reference), dtype, tolerance);
  }
}

}  // namespace

float RoundTo(Dtype dtype, float value) {
  if (dtype == Dtype::kFloat16) return RoundToFloat16(value);
  if (dtype == Dtype::kBfloat16) return RoundToBfloat16(value);
  return value;
}

bool IsClose(float candidate, float reference, Dtype dtype, const Tolerance& tolerance) {
  return IsCloseIn<float>(candidate, reference, dtype, tolerance);
}

bool IsClose(double candidate, double reference, Dtype dtype, const Tolerance& tolerance) {
  return IsCloseIn<double>(candidate, reference, dtype, tolerance);
}

bool IsClose(std::complex<float> candidate, std::complex<float> reference, Dtype dtype,
             const Tolerance& tolerance) {
  return IsCloseIn<float>(candidate, reference, dtype, tolerance);
}

bool IsClose(std::complex<double> candidate, std::complex<double> reference, Dtype dtype,
             const Tolerance& tolerance) {
  return IsCloseIn<double>(candidate, reference, dtype, tolerance);
}

}  // namespace graphtap::arrays
