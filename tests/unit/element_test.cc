#include "proto/element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "proto/digest.h"

namespace graphtap {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Element, Float16) {
  EXPECT_EQ(FromFloat16(0x3c00), 1);
  EXPECT_EQ(FromFloat16(0xc500), -5);
  EXPECT_EQ(FromFloat16(0x7bff), 65504);
  EXPECT_EQ(FromFloat16(0x0001), std::ldexp(1.0f, -24));
  EXPECT_EQ(FromFloat16(0x83ff), -1023 * std::ldexp(1.0f, -24));
  EXPECT_EQ(FromFloat16(0x7c00), kInfinity);
  EXPECT_EQ(FromFloat16(0xfc00), -kInfinity);
  EXPECT_TRUE(std::isnan(FromFloat16(0x7c01)));
  EXPECT_TRUE(std::signbit(FromFloat16(0x8000)));
}

TEST(Element, Bfloat16) {
  EXPECT_EQ(FromBfloat16(0x3f80), 1);
  EXPECT_EQ(FromBfloat16(0xc0a0), -5);
  EXPECT_EQ(FromBfloat16(0x0001), std::ldexp(1.0f, -133));
  EXPECT_EQ(FromBfloat16(0xff80), -kInfinity);
  EXPECT_TRUE(std::isnan(FromBfloat16(0x7fc0)));
}

TEST(Element, Float8) {
  EXPECT_EQ(FromFloat8E4m3fn(0x38), 1);
  EXPECT_EQ(FromFloat8E4m3fn(0x7e), 448);
  EXPECT_EQ(FromFloat8E4m3fn(0x81), -std::ldexp(1.0f, -9));
  EXPECT_TRUE(std::isnan(FromFloat8E4m3fn(0x7f)));
  EXPECT_TRUE(std::isnan(FromFloat8E4m3fn(0xff)));
  EXPECT_EQ(FromFloat8E5m2(0x3c), 1);
  EXPECT_EQ(FromFloat8E5m2(0x7b), 57344);
  EXPECT_EQ(FromFloat8E5m2(0x01), std::ldexp(1.0f, -16));
  EXPECT_EQ(FromFloat8E5m2(0xfc), -kInfinity);
  EXPECT_TRUE(std::isnan(FromFloat8E5m2(0x7d)));
}

template <typename Value>
double MeanOf(std::vector<Value> values, Dtype dtype) {
  const Digest digest = DigestOf(std::as_bytes(std::span(values)), dtype);
  EXPECT_EQ(digest.statistics->elements, values.size());
  return digest.statistics->of_finite->mean;
}

TEST(Element, IntegersAndBool) {
  EXPECT_EQ(MeanOf<std::int8_t>({-128, 127}, Dtype::kInt8), -0.5);
  EXPECT_EQ(MeanOf<std::uint8_t>({128, 255}, Dtype::kUint8), 191.5);
  EXPECT_EQ(MeanOf<std::int16_t>({-32768, 0}, Dtype::kInt16), -16384);
  EXPECT_EQ(MeanOf<std::uint16_t>({65535, 1}, Dtype::kUint16), 32768);
  EXPECT_EQ(MeanOf<std::int32_t>({-2147483647 - 1, 0}, Dtype::kInt32), -1073741824.0);
  EXPECT_EQ(MeanOf<std::uint32_t>({4294967295u, 1}, Dtype::kUint32), 2147483648.0);
  EXPECT_EQ(MeanOf<std::int64_t>({-(1ll << 62), 0}, Dtype::kInt64), -std::ldexp(1.0, 61));
  EXPECT_EQ(MeanOf<std::uint64_t>({1ull << 63, 0}, Dtype::kUint64), std::ldexp(1.0, 62));
  EXPECT_EQ(MeanOf<std::uint8_t>({0, 1, 2, 1}, Dtype::kBool), 0.75);
}

TEST(Element, ComplexHasNoRealValue) {
  const std::vector<float> values{1, 2, 3, 4};
  EXPECT_FALSE(IsReal(Dtype::kComplex64));
  EXPECT_FALSE(DigestOf(std::as_bytes(std::span(values)), Dtype::kComplex64).statistics);
  EXPECT_EQ(ElementCount(std::as_bytes(std::span(values)), Dtype::kComplex64), 2u);
}

}  // namespace
}  // namespace graphtap
