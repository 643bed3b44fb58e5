// What is printed of values, and how they are checked against a reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "interpose/values/check.h"
#include "interpose/values/print_line.h"

namespace graphtap::values {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Value>
std::span<const std::byte> Bytes(const std::vector<Value>& values) {
  return std::as_bytes(std::span(values));
}

template <typename Value>
std::string Line(Dtype dtype, const std::vector<Value>& values, std::size_t piece_bytes) {
  auto bytes = Bytes(values);
  PrintLine line(dtype, bytes.size());
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(piece_bytes, bytes.size()));
    line.Add(piece);
    bytes = bytes.subspan(piece.size());
  }
  return line.Text();
}

TEST(PrintLineTest, ShowsAllOfFewElementsAndTheEndsOfMany) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(Line(Dtype::kFloat32, values, 64),
            "float32 (6) [1. 2. 3. 4. 5. 6.] nan 0, inf 0, min 1.0, max 6.0, mean 3.5");
  values.push_back(7);
  for (const std::size_t piece : {4, 8, 16, 64}) {
    EXPECT_EQ(Line(Dtype::kFloat32, values, piece),
              "float32 (7) [1. 2. 3. ... 5. 6. 7.] nan 0, inf 0, min 1.0, max 7.0, mean 4.0")
        << piece;
  }
  EXPECT_EQ(Line(Dtype::kFloat32, std::vector<float>{8}, 64),
            "float32 (1) [8.] nan 0, inf 0, min 8.0, max 8.0, mean 8.0");
}

TEST(PrintLineTest, MeasuresOnlyWhatIsFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Line(Dtype::kFloat32, std::vector<float>{NAN, kInfinity, -kInfinity, 2, -4}, 64),
            "float32 (5) [ nan  inf -inf   2.  -4.] nan 1, inf 2, min -4.0, max 2.0, mean -1.0");
  EXPECT_EQ(Line(Dtype::kFloat32, std::vector<float>{NAN}, 64), "float32 (1) [nan] nan 1, inf 0");
  EXPECT_EQ(Line(Dtype::kInt32, std::vector<int>{3, -16777217}, 64),
            "int32 (2) [        3 -16777217] nan 0, inf 0, min -16777217, max 3, mean -8388607.0");
  EXPECT_EQ(Line(Dtype::kFloat32, std::vector<float>{0.1f}, 64),
            "float32 (1) [0.1] nan 0, inf 0, min 0.1, max 0.1, mean 0.10000000149011612");
  EXPECT_EQ(Line(Dtype::kComplex64, std::vector<float>{1, 2}, 64), "complex64 (1) [1.+2.j]");
}

TEST(PrintLineTest, BytesWithoutATypeAreHexadecimal) {
  std::vector<unsigned char> values(16);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(i);
  EXPECT_EQ(Line(Dtype::kUnknown, values, 5),
            "bytes (16) [00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f]");
  values.push_back(16);
  EXPECT_EQ(Line(Dtype::kUnknown, values, 64),
            "bytes (17) [00 01 02 03 04 05 06 07 ... 09 0a 0b 0c 0d 0e 0f 10]");
  EXPECT_EQ(Line(Dtype::kUnknown, std::vector<unsigned char>{255}, 64), "bytes (1) [ff]");
}

class FixedReference : public Reference {
 public:
  bool WantsBytes(const Watched&) override { return true; }
  Expected Find(const Watched&, std::uint64_t) override { return expected; }
  bool Read(const Expected&, std::uint64_t offset, std::span<std::byte> to) override {
    if (offset + to.size() > bytes.size()) return false;
    std::memcpy(to.data(), bytes.data() + offset, to.size());
    return true;
  }
  void Set(const std::vector<float>& values) {
    bytes.assign(Bytes(values).begin(), Bytes(values).end());
    expected.extent = expected.bytes = bytes.size();
    expected.dtype = Dtype::kFloat32;
  }

  Expected expected;
  std::vector<std::byte> bytes;
};

class CheckTest : public testing::Test {
 protected:
  // The outcome of `values`, which come in pieces of eight bytes.
  Outcome Run(const std::vector<float>& values, std::optional<std::uint64_t> hash = {}) {
    arrival_.bytes = values.size() * sizeof(float);
    Check check(reference_, Watched{}, arrival_);
    std::vector<std::byte> scratch(8);
    for (auto bytes = Bytes(values); !bytes.empty();) {
      const auto piece = bytes.first(std::min<std::size_t>(8, bytes.size()));
      check.Add(piece, scratch);
      bytes = bytes.subspan(piece.size());
    }
    const Outcome outcome = check.Conclude(hash);
    why_not_ = check.why_not();
    if (outcome != Outcome::kFailed) return outcome;
    failure_ = check.Failure();
    text_ = check.FailureText();
    return outcome;
  }

  FixedReference reference_;
  Arrival arrival_{.dtype = Dtype::kFloat32, .exact = true};
  record::CheckFailure failure_;
  std::string text_, why_not_;
};

TEST_F(CheckTest, TellsTheFirstElementThatIsNotClose) {
  reference_.Set({1, 2, 3, 4});
  EXPECT_EQ(Run({1, 2, 3, 4.00001f}), Outcome::kPassed);
  reference_.expected.shape = {2, 2};
  ASSERT_EQ(Run({1, 2, 5, NAN}), Outcome::kFailed);
  ASSERT_TRUE(failure_.element);
  EXPECT_EQ(failure_.element->index, 2u);
  EXPECT_THAT(failure_.element->coordinates, ElementsAre(1, 0));
  EXPECT_EQ(failure_.mismatches, 2u);
  EXPECT_EQ(failure_.compared, 4u);
  float value = 0;
  std::memcpy(&value, failure_.element->observed.data(), sizeof value);
  EXPECT_EQ(value, 5);
  EXPECT_EQ(text_, "element 2 (1, 0) is 5.0, expected 3.0; 2 of 4 elements differ");
}

TEST_F(CheckTest, AnotherTypeOrLengthIsImpossible) {
  reference_.Set({1, 2});
  EXPECT_EQ(Run({1, 2, 3}), Outcome::kImpossible);
  EXPECT_THAT(why_not_, HasSubstr("it has 12 bytes, the reference 8"));
  reference_.expected.dtype = Dtype::kInt32;
  EXPECT_EQ(Run({1, 2}), Outcome::kImpossible);
  EXPECT_THAT(why_not_, HasSubstr("float32, the reference's int32"));
  arrival_.dtype = Dtype::kUnknown;  // the reference says the type
  EXPECT_EQ(Run({1, 2}), Outcome::kPassed);
  reference_.bytes.resize(7);
  EXPECT_EQ(Run({1, 2}), Outcome::kImpossible);
  reference_.expected.why_not = "nothing there";
  EXPECT_EQ(Run({1, 2}), Outcome::kImpossible);
  EXPECT_EQ(why_not_, "nothing there");
}

TEST_F(CheckTest, OfABoundAnArrayDecidesTheLength) {
  reference_.Set({1, 2});
  arrival_.exact = false;
  EXPECT_EQ(Run({1, 2, 3}), Outcome::kImpossible);
  reference_.expected.of_user = true;
  EXPECT_EQ(Run({1, 2, 3}), Outcome::kPassed);
  EXPECT_EQ(Run({1, 3, 3}), Outcome::kFailed);
  EXPECT_EQ(failure_.compared, 2u);
  EXPECT_EQ(Run({1}), Outcome::kImpossible);
}

TEST_F(CheckTest, ADifferenceBehindABoundIsNoFailure) {
  reference_.Set({1, 2});
  reference_.expected.exact = false;
  EXPECT_EQ(Run({1, 2}), Outcome::kPassed);
  EXPECT_EQ(Run({1, 3}), Outcome::kImpossible);
  EXPECT_THAT(why_not_, HasSubstr("only a bound"));
}

TEST_F(CheckTest, HashesDecideWhereThereAreNoBytes) {
  reference_.Set({1, 2});
  reference_.expected.bytes = 0;
  reference_.expected.hash = 7;
  EXPECT_EQ(Run({1, 2}, 7), Outcome::kPassed);
  ASSERT_EQ(Run({1, 2}, 8), Outcome::kFailed);
  EXPECT_FALSE(failure_.element);
  EXPECT_EQ(failure_.expected_hash, 7u);
  EXPECT_EQ(failure_.observed_hash, 8u);
  EXPECT_EQ(text_, "its hash is 0000000000000008, expected 0000000000000007");
  EXPECT_EQ(Run({1, 2}), Outcome::kImpossible);
}

}  // namespace
}  // namespace graphtap::values
