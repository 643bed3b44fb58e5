// DigestOf: statistics in two passes, first the counts and bounds, then sums about them.
#include <algorithm>
#include <cmath>

#include "proto/digest.h"
#include "proto/element.h"

namespace graphtap {
namespace {

void Count(double value, TensorStatistics& statistics) noexcept {
  if (std::isnan(value)) {
    ++statistics.nan;
  } else if (std::isinf(value)) {
    ++(value > 0 ? statistics.positive_infinity : statistics.negative_infinity);
  } else {
    value += 0.0;  // -0 becomes 0
    if (value == 0) ++statistics.zero;
    if (!statistics.of_finite) {
      statistics.of_finite = FiniteStatistics{.minimum = value, .maximum = value};
    }
    statistics.of_finite->minimum = std::min(statistics.of_finite->minimum, value);
    statistics.of_finite->maximum = std::max(statistics.of_finite->maximum, value);
    ++statistics.finite;
  }
}

// Calls take(value) for each finite element.
template <typename Take>
void ForFinite(std::span<const std::byte> bytes, Dtype dtype, Take take) noexcept {
  ForElements(bytes, dtype, [&take](double value) {
    if (std::isfinite(value)) take(value);
  });
}

// Values are scaled by a power of two, so that no square of the greatest overflows or vanishes.
void Sum(std::span<const std::byte> bytes, Dtype dtype, double count,
         FiniteStatistics& finite) noexcept {
  const double greatest = std::max(std::fabs(finite.minimum), std::fabs(finite.maximum));
  if (greatest == 0) return;
  constexpr int kMaxExponent = 1000;  // whose power has a double
  const int exponent = std::clamp(std::ilogb(greatest), -kMaxExponent, kMaxExponent);
  const double scale = std::ldexp(1.0, -exponent);
  double sum = 0, squares = 0, deviations = 0;
  ForFinite(bytes, dtype, [&](double value) {
    value *= scale;
    sum += value;
    squares += value * value;
  });
  const double mean = sum / count;
  ForFinite(bytes, dtype, [&](double value) {
    const double distance = value * scale - mean;
    deviations += distance * distance;
  });
  finite.mean = std::clamp(std::ldexp(mean, exponent), finite.minimum, finite.maximum);
  finite.l2 = std::ldexp(std::sqrt(squares), exponent);
  const bool equal = finite.minimum == finite.maximum;
  finite.deviation = equal ? 0 : std::ldexp(std::sqrt(deviations / count), exponent);
}

TensorStatistics StatisticsOf(std::span<const std::byte> bytes, Dtype dtype) noexcept {
  TensorStatistics statistics;
  statistics.elements = ElementCount(bytes, dtype);
  ForElements(bytes, dtype, [&statistics](double value) { Count(value, statistics); });
  if (statistics.of_finite) {
    Sum(bytes, dtype, static_cast<double>(statistics.finite), *statistics.of_finite);
  }
  return statistics;
}

}  // namespace

Digest DigestOf(std::span<const std::byte> bytes, Dtype dtype) noexcept {
  Digest digest{FinishHash(LaneSum(bytes), bytes.size()), std::nullopt};
  if (IsReal(dtype)) digest.statistics = StatisticsOf(bytes, dtype);
  return digest;
}

}  // namespace graphtap
