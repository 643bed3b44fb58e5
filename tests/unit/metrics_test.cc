// Metrics of two arrays: the values were worked out by hand, those of half precision with numpy.
#include "proto/arrays/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

namespace graphtap::arrays {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Tolerance kExact = {.mode = Mode::kExact};
constexpr Tolerance kClose = {.mode = Mode::kAllclose};

template <typename Value>
Metrics Compare(Dtype dtype, const std::vector<Value>& reference,
                const std::vector<Value>& candidate, const Tolerance& tolerance) {
  MetricsBuilder builder(dtype, tolerance);
  builder.Add(std::as_bytes(std::span(reference)), std::as_bytes(std::span(candidate)));
  return builder.Result();
}

Metrics CompareFloats(const std::vector<float>& reference, const std::vector<float>& candidate,
                      const Tolerance& tolerance) {
  return Compare(Dtype::kFloat32, reference, candidate, tolerance);
}

double MaxError(const Metrics& metrics) { return std::get<double>(metrics.max_absolute_error); }

template <typename Value>
Value As(const Element& element) {
  Value value;
  std::memcpy(&value, element.data(), sizeof value);
  return value;
}

TEST(MetricsTest, SaysWhereAndByHowMuchTheFirstMismatchDiffers) {
  const Metrics metrics = CompareFloats({3, 4}, {3, 5}, kClose);
  EXPECT_EQ(metrics.mismatches, 1u);
  EXPECT_EQ(metrics.compared, 2u);
  EXPECT_EQ(metrics.fraction(), 0.5);
  EXPECT_EQ(MaxError(metrics), 1.0);
  EXPECT_EQ(metrics.max_relative_error, 0.25);
  EXPECT_EQ(metrics.mean_absolute_error, 0.5);
  EXPECT_EQ(metrics.first_mismatch->index, 1u);
  EXPECT_EQ(As<float>(metrics.first_mismatch->reference), 4.0f);
  EXPECT_EQ(As<float>(metrics.first_mismatch->candidate), 5.0f);
}

TEST(MetricsTest, EqualArraysHaveNoErrors) {
  const Metrics metrics = CompareFloats({1, -2}, {1, -2}, kExact);
  EXPECT_EQ(metrics.mismatches, 0u);
  EXPECT_EQ(MaxError(metrics), 0.0);
  EXPECT_EQ(metrics.max_relative_error, 0.0);
  EXPECT_EQ(metrics.mean_absolute_error, 0.0);
  EXPECT_FALSE(metrics.first_mismatch);
}

TEST(MetricsTest, PiecesAreOneArray) {
  const std::vector<float> reference = {0, 0, 0, 0}, candidate = {0, 0, 0, 4};
  MetricsBuilder builder(Dtype::kFloat32, kExact);
  for (std::size_t i = 0; i < 4; ++i) {
    builder.Add(std::as_bytes(std::span(reference).subspan(i, 1)),
                std::as_bytes(std::span(candidate).subspan(i, 1)));
  }
  EXPECT_EQ(builder.Result().first_mismatch->index, 3u);
  EXPECT_EQ(builder.Result().mean_absolute_error, 1.0);
  EXPECT_FALSE(builder.Result().max_relative_error);  // the reference is 0
}

TEST(MetricsTest, ExactComparesBytesAndCloseComparesValues) {
  EXPECT_EQ(CompareFloats({-0.0f}, {0.0f}, kExact).mismatches, 1u);
  EXPECT_EQ(CompareFloats({-0.0f}, {0.0f}, kClose).mismatches, 0u);
  const auto nan = static_cast<float>(kNan);
  const float other_nan = -nan;
  EXPECT_EQ(CompareFloats({nan}, {nan}, kExact).mismatches, 0u);
  EXPECT_EQ(CompareFloats({nan}, {other_nan}, kExact).mismatches, 1u);
  EXPECT_EQ(CompareFloats({nan}, {nan}, kClose).mismatches, 1u);
  for (const Mode mode : {Mode::kExact, Mode::kAllclose}) {
    const Tolerance tolerance = {.mode = mode, .equal_nan = true};
    EXPECT_EQ(CompareFloats({nan}, {other_nan}, tolerance).mismatches, 0u);
    EXPECT_EQ(CompareFloats({nan}, {1.0f}, tolerance).mismatches, 1u);
  }
}

TEST(MetricsTest, WhatIsNotFiniteHidesTheErrors) {
  const auto infinity = static_cast<float>(kInfinity);
  const Metrics both = CompareFloats({infinity, 1}, {infinity, 2}, kClose);
  EXPECT_EQ(both.mismatches, 1u);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(both.max_absolute_error));
  EXPECT_FALSE(both.mean_absolute_error);
  EXPECT_EQ(both.max_relative_error, 1.0);  // of what can be told
  EXPECT_EQ(CompareFloats({1}, {infinity}, kClose).mismatches, 1u);
  EXPECT_EQ(CompareFloats({-infinity}, {infinity}, kClose).mismatches, 1u);
}

TEST(MetricsTest, IntegersAreExactOverTheirWholeRange) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const Metrics metrics = Compare<std::int64_t>(Dtype::kInt64, {kMin, 4, 7}, {kMax, 5, 7}, kClose);
  EXPECT_EQ(metrics.mismatches, 2u);
  EXPECT_EQ(std::get<std::uint64_t>(metrics.max_absolute_error), ~0ull);
  EXPECT_DOUBLE_EQ(metrics.max_relative_error.value(), 2.0);
  const Metrics bytes = Compare<std::uint8_t>(Dtype::kUnknown, {1, 255}, {1, 0}, kClose);
  EXPECT_EQ(std::get<std::uint64_t>(bytes.max_absolute_error), 255u);
  EXPECT_EQ(bytes.mean_absolute_error, 127.5);
}

TEST(MetricsTest, ToleranceIsOfTheReference) {
  const Tolerance tolerance = {.mode = Mode::kAllclose, .rtol = 0.5, .atol = 0};
  EXPECT_EQ(CompareFloats({2}, {3}, tolerance).mismatches, 0u);  // 1 <= 0.5 * 2
  EXPECT_EQ(CompareFloats({1.9f}, {3}, tolerance).mismatches, 1u);
  EXPECT_EQ(CompareFloats({0}, {1e-9f}, kClose).mismatches, 0u);
  EXPECT_EQ(CompareFloats({0}, {2e-8f}, kClose).mismatches, 1u);
  const Tolerance none = {.mode = Mode::kAllclose, .rtol = 0, .atol = 0};
  EXPECT_EQ(CompareFloats({1}, {1}, none).mismatches, 0u);
}

// 1e-5 of a half is less than its resolution, and an atol of 1e-8 is 0 in it.
TEST(MetricsTest, HalfPrecisionIsComparedInHalfPrecision) {
  const std::vector<std::uint16_t> one = {0x3c00}, next = {0x3c01}, zero = {0}, least = {1};
  EXPECT_EQ(Compare(Dtype::kFloat16, one, next, kClose).mismatches, 1u);
  EXPECT_EQ(Compare(Dtype::kFloat16, zero, least, kClose).mismatches, 1u);
  const Tolerance wide = {.mode = Mode::kAllclose, .rtol = 9.77e-4, .atol = 0};
  EXPECT_EQ(Compare(Dtype::kFloat16, one, next, wide).mismatches, 0u);
  // In float32 the allowed error would be less than the difference; in float16 they are equal.
  const Tolerance rounded = {.mode = Mode::kAllclose, .rtol = 9.765e-4, .atol = 0};
  EXPECT_EQ(Compare(Dtype::kFloat16, one, next, rounded).mismatches, 0u);
  const std::vector<std::uint16_t> brain_one = {0x3f80}, brain_next = {0x3f81};
  EXPECT_EQ(Compare(Dtype::kBfloat16, brain_one, brain_next, kClose).mismatches, 1u);
  EXPECT_EQ(MaxError(Compare(Dtype::kBfloat16, brain_one, brain_next, kClose)), 0.0078125);
}

TEST(MetricsTest, ComplexNumbersDifferByTheirDistance) {
  using Complex = std::complex<float>;
  const Metrics metrics = Compare<Complex>(Dtype::kComplex64, {{3, 4}}, {{6, 8}}, kClose);
  EXPECT_EQ(metrics.mismatches, 1u);
  EXPECT_EQ(MaxError(metrics), 5.0);
  EXPECT_EQ(metrics.max_relative_error, 1.0);
}

TEST(MetricsTest, NothingIsEqualToNothing) {
  const Metrics metrics = CompareFloats({}, {}, kExact);
  EXPECT_EQ(metrics.fraction(), 0.0);
  EXPECT_EQ(MaxError(metrics), 0.0);
  EXPECT_EQ(metrics.mean_absolute_error, 0.0);
}

}  // namespace
}  // namespace graphtap::arrays
