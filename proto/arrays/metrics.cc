#include "proto/arrays/metrics.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "proto/element.h"

namespace graphtap::arrays {
namespace {

template <typename Value>
Value Read(const std::byte* bytes) {
  Value value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double AsDouble(float value) { return value; }
double AsDouble(double value) { return value; }
template <typename T>
std::complex<double> AsDouble(std::complex<T> value) {
  return {value.real(), value.imag()};
}

template <typename Value>
bool HasNan(Value value) {
  return std::isnan(value);
}
template <typename T>
bool HasNan(std::complex<T> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

}  // namespace

MetricsBuilder::MetricsBuilder(Dtype dtype, const Tolerance& tolerance)
    : dtype_(dtype == Dtype::kUnknown ? Dtype::kUint8 : dtype),
      size_(DtypeBytes(dtype_)),
      tolerance_(tolerance),
      integers_(IsInteger(dtype_) || dtype_ == Dtype::kBool) {}

void MetricsBuilder::NoteMismatch(std::uint64_t index, const std::byte* reference,
                                  const std::byte* candidate) {
  if (metrics_.mismatches++ > 0) return;
  auto& place = metrics_.first_mismatch.emplace();
  place.index = index;
  std::copy_n(reference, size_, place.reference.begin());
  std::copy_n(candidate, size_, place.candidate.begin());
}

// `difference` and `magnitude` of the reference, both >= 0 or not finite.
void MetricsBuilder::NoteError(double difference, double magnitude) {
  if (std::isfinite(difference)) {
    max_error_ = std::max(max_error_, difference);
    sum_ += difference;
  } else {
    all_finite_ = false;
  }
  const double relative = magnitude != 0    ? difference / magnitude
                          : difference == 0 ? 0
                                            : std::numeric_limits<double>::infinity();
  if (!std::isnan(relative)) max_relative_ = std::max(max_relative_, relative);
}

template <typename Value, typename Load>
void MetricsBuilder::AddFloats(std::span<const std::byte> reference,
                               std::span<const std::byte> candidate, const Load& load) {
  for (std::size_t at = 0; at + size_ <= reference.size(); at += size_) {
    const std::byte* const a = reference.data() + at;
    const std::byte* const b = candidate.data() + at;
    const Value expected = load(a), value = load(b);
    bool matches = false;
    if (tolerance_.mode == Mode::kExact) {
      matches = std::memcmp(a, b, size_) == 0 ||
                (tolerance_.equal_nan && HasNan(expected) && HasNan(value));
    } else {
      matches = IsClose(value, expected, dtype_, tolerance_);
    }
    if (!matches) NoteMismatch(metrics_.compared, a, b);
    ++metrics_.compared;
    NoteError(std::abs(AsDouble(value) - AsDouble(expected)), std::abs(AsDouble(expected)));
  }
}

template <typename Integer>
void MetricsBuilder::AddIntegers(std::span<const std::byte> reference,
                                 std::span<const std::byte> candidate) {
  for (std::size_t at = 0; at + sizeof(Integer) <= reference.size(); at += sizeof(Integer)) {
    const std::byte* const a = reference.data() + at;
    const std::byte* const b = candidate.data() + at;
    const auto expected = Read<Integer>(a), value = Read<Integer>(b);
    if (value != expected) NoteMismatch(metrics_.compared, a, b);
    ++metrics_.compared;
    // Modulo 2^64, where the difference has its place.
    const auto wide_value = static_cast<std::uint64_t>(value);
    const auto wide_expected = static_cast<std::uint64_t>(expected);
    const std::uint64_t difference =
        value > expected ? wide_value - wide_expected : wide_expected - wide_value;
    max_integer_error_ = std::max(max_integer_error_, difference);
    integer_sum_ += static_cast<long double>(difference);
    if (difference == 0) continue;
    const long double magnitude = std::abs(static_cast<long double>(expected));
    max_relative_ = std::max(
        max_relative_, magnitude == 0
                           ? std::numeric_limits<double>::infinity()
                           : static_cast<double>(static_cast<long double>(difference) / magnitude));
  }
}

void MetricsBuilder::Add(std::span<const std::byte> reference,
                         std::span<const std::byte> candidate) {
  switch (dtype_) {
    case Dtype::kFloat64:
      return AddFloats<double>(reference, candidate, Read<double>);
    case Dtype::kFloat32:
      return AddFloats<float>(reference, candidate, Read<float>);
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
    case Dtype::kFloat8E4m3fn:
    case Dtype::kFloat8E5m2:
      return AddFloats<float>(reference, candidate, [this](const std::byte* bytes) {
        return static_cast<float>(ElementAt(bytes, dtype_));
      });
    case Dtype::kComplex64:
      return AddFloats<std::complex<float>>(reference, candidate, Read<std::complex<float>>);
    case Dtype::kComplex128:
      return AddFloats<std::complex<double>>(reference, candidate, Read<std::complex<double>>);
    case Dtype::kInt8:
      return AddIntegers<std::int8_t>(reference, candidate);
    case Dtype::kInt16:
      return AddIntegers<std::int16_t>(reference, candidate);
    case Dtype::kInt32:
      return AddIntegers<std::int32_t>(reference, candidate);
    case Dtype::kInt64:
      return AddIntegers<std::int64_t>(reference, candidate);
    case Dtype::kUint16:
      return AddIntegers<std::uint16_t>(reference, candidate);
    case Dtype::kUint32:
      return AddIntegers<std::uint32_t>(reference, candidate);
    case Dtype::kUint64:
      return AddIntegers<std::uint64_t>(reference, candidate);
    case Dtype::kUint8:
    case Dtype::kBool:
    case Dtype::kUnknown:
      return AddIntegers<std::uint8_t>(reference, candidate);
  }
}

Metrics MetricsBuilder::Result() const {
  Metrics metrics = metrics_;
  const auto count = static_cast<long double>(metrics.compared);
  if (std::isfinite(max_relative_)) metrics.max_relative_error = max_relative_;
  if (integers_) {
    metrics.max_absolute_error = max_integer_error_;
    metrics.mean_absolute_error =
        metrics.compared == 0 ? 0 : static_cast<double>(integer_sum_ / count);
  } else if (all_finite_) {
    metrics.max_absolute_error = max_error_;
    metrics.mean_absolute_error = metrics.compared == 0 ? 0 : static_cast<double>(sum_ / count);
  }
  return metrics;
}

}  // namespace graphtap::arrays
