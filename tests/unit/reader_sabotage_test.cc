// The reader over every truncation and every flipped byte of a sample file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reader_fixture.h"

namespace graphtap {
namespace {

using testing::ElementsAreArray;

TEST(ReaderSabotageTest, AWholeFileIsRead) {
  const SampleFile sample;
  const auto read = ReadAll(sample.bytes());
  EXPECT_TRUE(read.status.ok());
  EXPECT_THAT(read.texts, ElementsAreArray(sample.TextsWithout(0, 0)));
  EXPECT_EQ(read.texts.size(), 10u);
  EXPECT_FALSE(read.damage.damaged());
  EXPECT_EQ(read.damage.unfinished_bytes, 0u);
}

TEST(ReaderSabotageTest, AFileCutAtAnyByteEndsWithItsLastWholeFrame) {
  const SampleFile sample;
  for (std::size_t length = 0; length < sample.bytes().size(); ++length) {
    const auto read = ReadAll(sample.bytes().substr(0, length));
    const std::size_t cut = sample.FrameAt(length);
    ASSERT_TRUE(read.status.ok()) << length;
    ASSERT_THAT(read.texts, ElementsAreArray(sample.TextsWithout(cut, 4))) << length;
    ASSERT_EQ(read.damage.unfinished_bytes, length - sample.frames()[cut].begin) << length;
    ASSERT_FALSE(read.damage.damaged()) << length;
  }
}

// Bits are flipped alone and all together, so that no value is met by chance.
class FlippedByteTest : public testing::TestWithParam<int> {};

TEST_P(FlippedByteTest, AFlippedByteCostsItsFrameAndNoMore) {
  const SampleFile sample;
  for (std::size_t at = 0; at < sample.bytes().size(); ++at) {
    std::string bytes = sample.bytes();
    bytes[at] = static_cast<char>(bytes[at] ^ GetParam());
    const auto read = ReadAll(bytes);
    const std::size_t hit = sample.FrameAt(at);
    const auto& frame = sample.frames()[hit];
    ASSERT_TRUE(read.status.ok()) << at;
    ASSERT_THAT(read.texts, ElementsAreArray(sample.TextsWithout(hit, hit + 1))) << at;
    ASSERT_EQ(read.damage.places, 1u) << at;
    ASSERT_EQ(read.damage.bytes, frame.end - frame.begin) << at;
    ASSERT_EQ(read.damage.frames, 1u) << at;
    // How many messages the last frame had, only its own header tells.
    const bool header_hit = at - frame.begin < kFrameHeaderBytes;
    const bool unknown = hit == 3 && header_hit;
    ASSERT_EQ(read.damage.messages, unknown ? 0 : frame.texts.size()) << at;
    ASSERT_EQ(read.damage.unfinished_bytes, 0u) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, FlippedByteTest, testing::Values(0x01, 0x10, 0x80, 0xff));

TEST(ReaderSabotageTest, AFrameTakenOutIsCountedByItsNumbers) {
  const SampleFile sample;
  std::string bytes = sample.bytes();
  const auto& frame = sample.frames()[1];
  bytes.erase(frame.begin, frame.end - frame.begin);
  const auto read = ReadAll(bytes);
  EXPECT_THAT(read.texts, ElementsAreArray(sample.TextsWithout(1, 2)));
  EXPECT_EQ(read.damage.places, 0u);
  EXPECT_EQ(read.damage.frames, 1u);
  EXPECT_EQ(read.damage.messages, 2u);
}

TEST(ReaderSabotageTest, BytesTakenOutOfAPayloadCostTheFrame) {
  const SampleFile sample;
  const auto& frame = sample.frames()[2];
  for (std::size_t count = 1; count < frame.end - frame.begin - kFrameHeaderBytes; ++count) {
    std::string bytes = sample.bytes();
    bytes.erase(frame.begin + kFrameHeaderBytes, count);
    const auto read = ReadAll(bytes);
    ASSERT_THAT(read.texts, ElementsAreArray(sample.TextsWithout(2, 3))) << count;
    ASSERT_EQ(read.damage.frames, 1u) << count;
    ASSERT_EQ(read.damage.bytes, frame.end - frame.begin - count) << count;
  }
}

TEST(ReaderSabotageTest, ForeignBytesBetweenFramesAreSkipped) {
  const SampleFile sample;
  std::string bytes = sample.bytes();
  const std::string foreign =
      std::string(100'000, 'x') + std::string(kFrameMagic.begin(), kFrameMagic.end());
  bytes.insert(sample.frames()[2].begin, foreign);
  const auto read = ReadAll(bytes);
  EXPECT_THAT(read.texts, ElementsAreArray(sample.TextsWithout(0, 0)));
  EXPECT_EQ(read.damage.places, 1u);
  EXPECT_EQ(read.damage.bytes, foreign.size());
  EXPECT_EQ(read.damage.frames, 0u);
}

TEST(ReaderSabotageTest, ABlockOfZerosAtTheEndIsDamage) {
  const SampleFile sample;
  const auto read = ReadAll(sample.bytes() + std::string(4096, '\0'));
  EXPECT_THAT(read.texts, ElementsAreArray(sample.TextsWithout(0, 0)));
  EXPECT_EQ(read.damage.places, 1u);
  EXPECT_EQ(read.damage.bytes, 4096u);
}

}  // namespace
}  // namespace graphtap
