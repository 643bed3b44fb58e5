// What the reader does with frames and messages that are intact but unusual.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <fstream>
#include <functional>
#include <memory>

#include "proto/frames/frame_reader.h"
#include "tests/unit/reader_fixture.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void Put(std::uint64_t value, unsigned at, unsigned bytes, std::string* frame) {
  for (unsigned i = 0; i < bytes; ++i) (*frame)[at + i] = static_cast<char>(value >> (8 * i));
}

// Makes the checks of the one frame right again after a change.
std::string Sealed(std::string frame) {
  const std::string payload = frame.substr(kFrameHeaderBytes);
  Put(XXH3_64bits(payload.data(), payload.size()) & 0xffffffff, kPayloadCheckAt, 4, &frame);
  Put(XXH3_64bits(frame.data(), kHeaderCheckAt) & 0xffffffff, kHeaderCheckAt, 4, &frame);
  return frame;
}

// One raw frame with the messages, each as its bytes.
std::string RawFrame(const std::vector<std::string>& messages) {
  std::string frame(kFrameHeaderBytes, '\0');
  std::copy(kFrameMagic.begin(), kFrameMagic.end(), frame.begin());
  for (const auto& message : messages) frame += static_cast<char>(message.size()) + message;
  const auto length = frame.size() - kFrameHeaderBytes;
  Put(kFormatMajor, kMajorAt, 1, &frame);
  Put(static_cast<unsigned>(FrameKind::kRecords), kKindAt, 1, &frame);
  Put(kFlagRaw, kFlagsAt, 1, &frame);
  Put(messages.size(), kCountAt, 4, &frame);
  Put(length, kStoredLengthAt, 4, &frame);
  Put(length, kRawLengthAt, 4, &frame);
  return Sealed(frame);
}

std::string StringMessage(const std::string& text) {
  Entry entry;
  entry.mutable_string()->set_text(text);
  return entry.SerializeAsString();
}

TEST(ReaderFrameTest, AnotherMajorVersionIsRefused) {
  std::string frame = RawFrame({StringMessage("a")});
  Put(2, kMajorAt, 1, &frame);
  const auto read = ReadAll(Sealed(frame));
  EXPECT_EQ(read.status.message(), "at byte 0: format version 2; this graphtap reads version 1");
}

TEST(ReaderFrameTest, AnotherMinorVersionIsRead) {
  std::string frame = RawFrame({StringMessage("a")});
  Put(9, kMinorAt, 1, &frame);
  const auto read = ReadAll(Sealed(frame));
  EXPECT_THAT(read.texts, ElementsAre("a"));
}

TEST(ReaderFrameTest, UnknownKindsAndFlagsAreSkippedAndCounted) {
  std::string kind = RawFrame({StringMessage("a")});
  Put(200, kKindAt, 1, &kind);
  std::string flags = RawFrame({StringMessage("b")});
  Put(kFlagRaw | 0x40, kFlagsAt, 1, &flags);
  Put(1, kSequenceAt, 8, &flags);
  std::string known = RawFrame({StringMessage("c")});
  Put(2, kSequenceAt, 8, &known);
  Put(1, kFirstNumberAt, 8, &known);
  const auto read = ReadAll(Sealed(kind) + Sealed(flags) + Sealed(known));
  EXPECT_THAT(read.texts, ElementsAre("c"));
  EXPECT_EQ(read.damage.unknown_frames, 2u);
  EXPECT_FALSE(read.damage.damaged());
}

TEST(ReaderFrameTest, UnknownEntriesAndFieldsAreSkippedAndCounted) {
  const std::string unknown_entry("\xba\x0c\x00", 3);               // field 199, empty
  const std::string unknown_field("\x12\x05\x12\x01z\x78\x05", 7);  // String: text, then field 15
  const auto read = ReadAll(RawFrame({unknown_entry, unknown_field}));
  EXPECT_THAT(read.texts, ElementsAre("z"));
  EXPECT_EQ(read.damage.unknown_entries, 1u);
  EXPECT_EQ(read.damage.unknown_fields, 1u);
}

TEST(ReaderFrameTest, AMessageThatIsNoneIsCountedAndTheNextIsRead) {
  const auto read = ReadAll(RawFrame({"\xff\xff", StringMessage("a")}));
  EXPECT_THAT(read.texts, ElementsAre("a"));
  EXPECT_EQ(read.damage.unreadable_messages, 1u);
}

TEST(ReaderFrameTest, ALengthBeyondTheFrameCostsTheRestOfIt) {
  std::string frame = RawFrame({StringMessage("a"), StringMessage("b"), StringMessage("c")});
  const std::size_t second = kFrameHeaderBytes + 1 + StringMessage("a").size();
  frame[second] = 0x7f;
  const auto read = ReadAll(Sealed(frame));
  EXPECT_THAT(read.texts, ElementsAre("a"));
  EXPECT_EQ(read.damage.unreadable_messages, 2u);
}

TEST(ReaderFrameTest, ALengthThatNoPayloadMayHaveIsNotAllocated) {
  std::string frame = RawFrame({StringMessage("a")});
  Put(kFrameMaxRawBytes + 1u, kRawLengthAt, 4, &frame);
  const auto read = ReadAll(Sealed(frame));
  EXPECT_THAT(read.texts, ElementsAre());
  EXPECT_EQ(read.damage.bytes, frame.size());
}

// A frame whose payload is `bytes` zeros, compressed.
std::string ZerosFrame(std::uint32_t bytes) {
  const std::string zeros(bytes, '\0');
  std::string stored(ZSTD_compressBound(bytes), '\0');
  stored.resize(ZSTD_compress(stored.data(), stored.size(), zeros.data(), bytes, 1));
  std::string frame = RawFrame({}) + stored;
  Put(0, kFlagsAt, 1, &frame);
  Put(stored.size(), kStoredLengthAt, 4, &frame);
  Put(bytes, kRawLengthAt, 4, &frame);
  return Sealed(frame);
}

TEST(ReaderFrameTest, PayloadsThatGrowTakeNoMoreThanTheLargest) {
  constexpr std::uint32_t kSmaller = kFrameMaxRawBytes / 4 * 3;
  const auto source = frames::OpenBytes(ZerosFrame(kSmaller) + ZerosFrame(kFrameMaxRawBytes));
  frames::FrameReader reader(*source);
  frames::Frame frame;
  for (const std::uint32_t bytes : {kSmaller, kFrameMaxRawBytes}) {
    ASSERT_EQ(reader.Next(&frame), frames::Found::kOne);
    EXPECT_EQ(frame.payload.size(), bytes);
    EXPECT_LE(frame.payload.capacity(), bytes);
  }
}

TEST(ReaderFrameTest, AFileThatGrowsIsReadAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/growing.gtap";
  std::ofstream file(path, std::ios::binary);
  const std::string frame = RawFrame({StringMessage("a")});
  file << frame << frame.substr(0, 50) << std::flush;
  const auto source = reader::OpenFile(path);
  ASSERT_TRUE(source.ok());
  file << frame.substr(50) << std::flush;
  reader::EntryReader entries(**source);
  Entry entry;
  EXPECT_TRUE(*entries.Next(&entry));
  EXPECT_FALSE(*entries.Next(&entry));
  EXPECT_EQ(entries.damage().unfinished_bytes, 50u);
}

TEST(ReaderFrameTest, AFileThatIsNotThereIsNamed) {
  const auto source = reader::OpenFile("/no/such/file.gtap");
  EXPECT_THAT(std::string(source.status().message()), HasSubstr("/no/such/file.gtap"));
}

// Counts what is read of a file.
class CountingSource : public reader::ByteSource {
 public:
  explicit CountingSource(std::string bytes) : source_(reader::OpenBytes(std::move(bytes))) {}
  std::uint64_t size() const override { return source_->size(); }
  std::size_t Read(std::uint64_t offset, char* to, std::size_t length) const override {
    const std::size_t read = source_->Read(offset, to, length);
    bytes_read += read;
    return read;
  }
  mutable std::uint64_t bytes_read = 0;

 private:
  std::unique_ptr<reader::ByteSource> source_;
};

// Headers that are right, one behind the other, each of a payload of `length`.
std::string OnlyHeaders(std::size_t count, std::function<std::size_t(std::size_t left)> length) {
  const std::string header = RawFrame({}).substr(0, kFrameHeaderBytes);
  std::string file;
  for (std::size_t i = 0; i < count; ++i) {
    std::string frame = header;
    Put(length((count - i - 1) * kFrameHeaderBytes), kStoredLengthAt, 4, &frame);
    Put(XXH3_64bits(frame.data(), kHeaderCheckAt) & 0xffffffff, kHeaderCheckAt, 4, &frame);
    file += frame;
  }
  return file;
}

TEST(ReaderFrameTest, HeadersOfWhatIsNotThereAreReadInTimeInProportionToTheFile) {
  constexpr std::size_t kHeaders = 20'000;
  const auto nearly_the_rest = [](std::size_t left) { return left > 1 ? left - 1 : left; };
  const auto more_than_all = [](std::size_t) { return std::size_t{64} << 20; };
  for (const auto& file :
       {OnlyHeaders(kHeaders, nearly_the_rest), OnlyHeaders(kHeaders, more_than_all)}) {
    CountingSource source(file);
    frames::FrameReader reader(source);
    frames::Frame frame;
    while (reader.Next(&frame) == frames::Found::kOne) {
    }
    EXPECT_LT(source.bytes_read, 50 * file.size());
    EXPECT_EQ(reader.damage().bytes + reader.damage().unfinished_bytes, file.size());
  }
}

}  // namespace
}  // namespace graphtap
