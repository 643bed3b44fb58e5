#include "proto/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace graphtap {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename Value>
std::span<const std::byte> BytesOf(const std::vector<Value>& values) {
  return std::as_bytes(std::span(values));
}

struct Vector {
  std::string bytes;
  std::uint64_t sum, hash;
};

std::vector<Vector> Vectors() {
  std::string hundred;
  for (char i = 0; i < 100; ++i) hundred += i;
  return {{"", 0, 0},
          {"a", 0x4ae8d61f9c99c83b, 0x350fab2ef958e42d},
          {std::string(16, '\0'), 0xbc13060e2d1aac79, 0x3430c82b4d60c1c0},
          {std::string(17, '\0'), 0x5e3d2046e2713ed7, 0x95836cc5f18b4c1c},
          {hundred, 0xa064454ce4b86951, 0x2da9fafa65a606b3}};
}

TEST(Digest, HashesTheVectorsOfItsVersion) {
  for (const auto& vector : Vectors()) {
    const auto bytes = std::as_bytes(std::span(vector.bytes));
    EXPECT_EQ(LaneSum(bytes), vector.sum);
    EXPECT_EQ(FinishHash(vector.sum, bytes.size()), vector.hash);
    EXPECT_EQ(DigestOf(bytes, Dtype::kUnknown).hash, vector.hash);
    EXPECT_FALSE(DigestOf(bytes, Dtype::kUnknown).statistics);
  }
}

TEST(Digest, BlocksInAnyCutCombineToTheWhole) {
  std::vector<float> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i) * (i % 2 == 0 ? 0.25f : -0.25f);
  }
  const auto bytes = BytesOf(values);
  for (std::size_t block : {4096u, 8192u, 65536u}) {
    std::vector<DigestRecord> records;
    for (std::size_t at = 0; at < bytes.size(); at += block) {
      const auto share = bytes.subspan(at, std::min(block, bytes.size() - at));
      records.push_back(RecordOf(share, at / kDigestLaneBytes, Dtype::kFloat32));
    }
    const Digest digest = Combine(records, bytes.size(), Dtype::kFloat32);
    EXPECT_EQ(digest.hash, FinishHash(LaneSum(bytes), bytes.size()));
    ASSERT_TRUE(digest.statistics && digest.statistics->of_finite);
    EXPECT_EQ(digest.statistics->elements, 5000u);
    EXPECT_EQ(digest.statistics->zero, 1u);
    EXPECT_EQ(digest.statistics->of_finite->minimum, -4999 * 0.25);
    EXPECT_EQ(digest.statistics->of_finite->maximum, 4998 * 0.25);
    EXPECT_EQ(digest.statistics->of_finite->mean, -0.125);  // 2500 pairs of -0.25
    const double squares = 4999.0 * 5000 * 9999 / 6 / 16;   // 0.25 i, squared
    EXPECT_DOUBLE_EQ(digest.statistics->of_finite->l2, std::sqrt(squares));
    const double variance = squares / 5000 - 0.125 * 0.125;
    EXPECT_DOUBLE_EQ(digest.statistics->of_finite->deviation, std::sqrt(variance));
  }
}

TEST(Digest, CountsWhatIsNotFiniteApart) {
  const std::vector<float> values{1, kNan, -kInfinity, kInfinity, -0.0f, 0, 3, kNan, kInfinity, -2};
  const auto bytes = BytesOf(values);
  const DigestRecord record = RecordOf(bytes, 0, Dtype::kFloat32);
  for (const Digest& digest :
       {Combine({&record, 1}, bytes.size(), Dtype::kFloat32), DigestOf(bytes, Dtype::kFloat32)}) {
    ASSERT_TRUE(digest.statistics && digest.statistics->of_finite);
    const TensorStatistics& found = *digest.statistics;
    EXPECT_EQ(found.elements, 10u);
    EXPECT_EQ(found.finite, 5u);
    EXPECT_EQ(found.nan, 2u);
    EXPECT_EQ(found.positive_infinity, 2u);
    EXPECT_EQ(found.negative_infinity, 1u);
    EXPECT_EQ(found.zero, 2u);
    EXPECT_EQ(found.of_finite->minimum, -2);
    EXPECT_EQ(found.of_finite->maximum, 3);
    EXPECT_DOUBLE_EQ(found.of_finite->mean, 0.4);
    EXPECT_DOUBLE_EQ(found.of_finite->l2, std::sqrt(14.0));
    EXPECT_DOUBLE_EQ(found.of_finite->deviation, std::sqrt(14.0 / 5 - 0.16));
  }
}

TEST(Digest, WithoutFiniteElementsHasCountsOnly) {
  const std::vector<float> values{kNan, kInfinity};
  const DigestRecord record = RecordOf(BytesOf(values), 0, Dtype::kFloat32);
  const std::vector<Digest> digests{Combine({&record, 1}, 8, Dtype::kFloat32),
                                    DigestOf(BytesOf(values), Dtype::kFloat32),
                                    Combine({}, 0, Dtype::kFloat32), DigestOf({}, Dtype::kFloat32)};
  for (std::size_t i = 0; i < digests.size(); ++i) {
    ASSERT_TRUE(digests[i].statistics);
    EXPECT_EQ(digests[i].statistics->elements, i < 2 ? 2u : 0u);
    EXPECT_EQ(digests[i].statistics->nan, i < 2 ? 1u : 0u);
    EXPECT_FALSE(digests[i].statistics->of_finite);
  }
}

TEST(Digest, MinusZeroIsZero) {
  const std::vector<float> values{-0.0f, -0.0f};
  const DigestRecord record = RecordOf(BytesOf(values), 0, Dtype::kFloat32);
  for (const Digest& digest :
       {Combine({&record, 1}, 8, Dtype::kFloat32), DigestOf(BytesOf(values), Dtype::kFloat32)}) {
    ASSERT_TRUE(digest.statistics && digest.statistics->of_finite);
    EXPECT_FALSE(std::signbit(digest.statistics->of_finite->minimum));
    EXPECT_FALSE(std::signbit(digest.statistics->of_finite->maximum));
    EXPECT_EQ(digest.statistics->of_finite->l2, 0);
  }
}

TEST(Digest, EqualElementsDoNotDeviate) {
  // As float32 rounds it: a sum and a square that are a little off.
  DigestRecord record = RecordOf(BytesOf(std::vector<float>(100, 0.1f)), 0, Dtype::kFloat32);
  record.sum *= 1 + 1e-7;
  record.squares *= 1 + 1e-7;
  const Digest digest = Combine({&record, 1}, 400, Dtype::kFloat32);
  EXPECT_EQ(digest.statistics->of_finite->mean, 0.1f);
  EXPECT_EQ(digest.statistics->of_finite->deviation, 0);
}

TEST(Digest, BytesBehindTheLastElementCountInTheHashOnly) {
  const std::vector<std::uint8_t> bytes{0, 0, 0x80, 0x3f, 0xff, 0x7f, 0xff};
  const DigestRecord record = RecordOf(BytesOf(bytes), 0, Dtype::kFloat32);
  for (const Digest& digest : {Combine({&record, 1}, bytes.size(), Dtype::kFloat32),
                               DigestOf(BytesOf(bytes), Dtype::kFloat32)}) {
    EXPECT_EQ(digest.hash, FinishHash(LaneSum(BytesOf(bytes)), 7));
    EXPECT_EQ(digest.statistics->elements, 1u);
    EXPECT_EQ(digest.statistics->nan, 0u);
    EXPECT_EQ(digest.statistics->of_finite->mean, 1);
  }
}

TEST(Digest, DoesNotOverflowOrVanish) {
  for (double value : {1e300, 1e-300, 5e-324}) {
    const std::vector<double> values{value, -value, value, value};
    const Digest digest = DigestOf(BytesOf(values), Dtype::kFloat64);
    EXPECT_EQ(digest.statistics->of_finite->l2, 2 * value);
    EXPECT_EQ(digest.statistics->of_finite->mean, value / 2);
  }
}

TEST(Digest, KeysAreInTheOrderOfTheValues) {
  const std::vector<float> ordered{-kInfinity, -3e38f, -1, -1e-45f, -0.0f,    0,
                                   1e-45f,     1,      2,  3e38f,   kInfinity};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const std::uint32_t key = OrderedKey(ordered[i]);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(FromOrderedKey(key)),
              std::bit_cast<std::uint32_t>(ordered[i]));
    if (i == 0) continue;
    EXPECT_GT(key, OrderedKey(ordered[i - 1]));
  }
}

}  // namespace
}  // namespace graphtap
