// Frame writer: what is on the disk, byte by byte.
#include "interpose/record/frame_writer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include "interpose/record/run_file.h"
#include "tests/unit/recorded_file.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap::record {
namespace {

// A length-delimited Entry that is a String.
std::string StringEntry(const std::string& text) {
  Entry entry;
  entry.mutable_string()->set_text(text);
  const std::string body = entry.SerializeAsString();
  std::string delimited;
  for (std::size_t length = body.size(); delimited.empty() || length > 0; length >>= 7) {
    delimited += static_cast<char>((length & 127) | (length > 127 ? 128 : 0));
  }
  return delimited + body;
}

class FrameWriterTest : public testing::Test {
 protected:
  std::unique_ptr<RunFile> Create() {
    std::string error;
    auto file = RunFile::Create(folder_.path(), "a.gtap", &error);
    EXPECT_NE(file, nullptr) << error;
    return file;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/a.gtap";
};

TEST_F(FrameWriterTest, WritesTheHeaderByteByByte) {
  FrameWriter writer(Create(), 0);
  ASSERT_EQ(writer.Write(FrameKind::kRecords, "xyz", 0x0102), 0);
  ASSERT_EQ(writer.Write(FrameKind::kRecords, "abcdefg", 5), 0);
  std::ifstream stream(path_, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  EXPECT_EQ(bytes.substr(48 + 3), std::string("\x89GTAP\r\n\x1a"      // magic
                                              "\x01\x00"              // version 1.0
                                              "\x02"                  // records
                                              "\x01"                  // raw
                                              "\x05\0\0\0"            // messages
                                              "\x01\0\0\0\0\0\0\0"    // sequence
                                              "\x02\x01\0\0\0\0\0\0"  // first number
                                              "\x07\0\0\0"            // stored length
                                              "\x07\0\0\0"            // raw length
                                              "\x2f\x05\x4c\xd4"      // XXH3 of the payload
                                              "\x7b\x47\xac\x01"      // XXH3 of all before it
                                              "abcdefg",
                                              48 + 7));
}

TEST_F(FrameWriterTest, CompressesWhatGetsSmaller) {
  const std::string same(100'000, 'a');
  std::mt19937 random(1);  // the same bytes in each run
  std::string noise(100'000, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  FrameWriter writer(Create(), 3);
  ASSERT_EQ(writer.Write(FrameKind::kDefinitions, StringEntry(same), 1), 0);
  ASSERT_EQ(writer.Write(FrameKind::kDefinitions, StringEntry(noise), 1), 0);
  const RecordedFile file = ReadRecordedFile(path_);
  ASSERT_EQ(file.frames.size(), 2u);
  EXPECT_FALSE(file.frames[0].raw);
  EXPECT_LT(file.frames[0].stored.size(), 1000u);
  EXPECT_EQ(file.frames[0].entries.at(0).string().text(), same);
  EXPECT_TRUE(file.frames[1].raw);
  EXPECT_EQ(file.frames[1].entries.at(0).string().text(), noise);
  EXPECT_EQ(writer.stored_bytes(), file.frames[0].stored.size() + file.frames[1].stored.size());
}

TEST_F(FrameWriterTest, StoresWithoutCompressionAtLevelZero) {
  FrameWriter writer(Create(), 0);
  ASSERT_EQ(writer.Write(FrameKind::kDefinitions, StringEntry(std::string(1000, 'a')), 1), 0);
  EXPECT_TRUE(ReadRecordedFile(path_).frames.at(0).raw);
}

TEST_F(FrameWriterTest, CountsMessagesByKindAndFramesTogether) {
  FrameWriter writer(Create(), 1);
  const std::string two = StringEntry("a") + StringEntry("b");
  ASSERT_EQ(writer.Write(FrameKind::kDefinitions, two, 2), 0);
  ASSERT_EQ(writer.Write(FrameKind::kRecords, two, 2), 0);
  ASSERT_EQ(writer.Write(FrameKind::kDefinitions, two, 2), 0);
  ASSERT_EQ(writer.Write(FrameKind::kEnd, {}, 0), 0);
  const RecordedFile file = ReadRecordedFile(path_);
  ASSERT_EQ(file.frames.size(), 4u);
  EXPECT_EQ(file.frames[1].first_number, 0u);
  EXPECT_EQ(file.frames[2].first_number, 2u);
  EXPECT_EQ(file.frames[2].sequence, 2u);
  EXPECT_EQ(file.frames[3].kind, FrameKind::kEnd);
  EXPECT_EQ(file.frames[3].payload, "");
}

}  // namespace
}  // namespace graphtap::record
