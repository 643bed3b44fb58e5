// A run that is read while it grows: each byte is taken in once, in whatever pieces it arrives.

#include "analyzer/model/growing_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "analyzer/export/frame_writer.h"
#include "tests/unit/reader_fixture.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap::model {
namespace {

using testing::HasSubstr;

Entry RunEntry(const std::string& host, std::uint32_t pid, const std::string& run_id = "r1") {
  Entry entry;
  entry.mutable_run()->set_host(host);
  entry.mutable_run()->set_pid(pid);
  entry.mutable_run()->set_run_id(run_id);
  entry.mutable_run()->set_program("train");
  return entry;
}

Entry Range(std::uint64_t first, std::uint64_t last) {
  Entry entry;
  entry.mutable_replay_range()->set_executable(0);
  entry.mutable_replay_range()->set_first(first);
  entry.mutable_replay_range()->set_last(last);
  entry.mutable_replay_range()->set_first_ns(first * 1'000'000'000);
  entry.mutable_replay_range()->set_last_ns(last * 1'000'000'000);
  return entry;
}

Entry Ended(End::How how) {
  Entry entry;
  entry.mutable_end()->set_how(how);
  return entry;
}

class GrowingRunTest : public testing::Test {
 protected:
  void Append(const std::string& file, const std::string& bytes) {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ + "/" + file, std::ios::binary | std::ios::app) << bytes;
  }
  // One frame of a file of which this is the only writer.
  std::string Frame(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) writer_.Append(entry);
    return writer_.Take();
  }
  void Read() { ASSERT_TRUE(run_.Read().ok()); }
  const Process& process(std::size_t index = 0) { return *run_.run().processes.at(index); }

  TemporaryFolder root_;
  const std::string path_ = root_.path() + "/run";
  exporting::FrameWriter writer_{exporting::Compression::kZstd};
  GrowingRun run_{path_};
};

TEST_F(GrowingRunTest, WaitsForTheRun) {
  Read();
  EXPECT_FALSE(run_.exists());
  std::filesystem::create_directory(path_);
  Read();
  EXPECT_FALSE(run_.exists());
  Append("a.1.1.gtap", "");
  Read();
  EXPECT_FALSE(run_.exists());
  Append("a.1.1.gtap", Frame({RunEntry("a", 1)}));
  Read();
  EXPECT_TRUE(run_.exists());
  EXPECT_FALSE(run_.Over());
}

TEST_F(GrowingRunTest, TakesEachByteInOnceHoweverItArrives) {
  std::string bytes = Frame({RunEntry("a", 1)});
  bytes += Frame({Range(1, 10)});
  bytes += Frame({Range(11, 12)});
  for (const char byte : bytes) {
    Append("a.1.1.gtap", std::string(1, byte));
    Read();
  }
  EXPECT_EQ(run_.tally(process()).replays, 12u);
  EXPECT_EQ(run_.tally(process()).Rate(), 1.0);
  EXPECT_FALSE(process().damage.damaged());
  EXPECT_EQ(process().damage.unfinished_bytes, 0u);
}

TEST_F(GrowingRunTest, CountsAReplayOnce) {
  Entry due;
  due.mutable_replay()->set_executable(0);
  due.mutable_replay()->set_number(5);
  due.mutable_replay()->set_sampled(true);
  Entry later = due;
  later.mutable_replay()->set_number(11);
  Append("a.1.1.gtap", Frame({RunEntry("a", 1), due, Range(1, 10), later, Range(3, 4)}));
  Read();
  EXPECT_EQ(run_.tally(process()).replays, 11u);
  EXPECT_EQ(run_.tally(process()).sampled, 2u);
  Append("a.1.1.gtap", Frame({Range(11, 12), Range(20, 20), Range(7, 3)}));
  Read();
  EXPECT_EQ(run_.tally(process()).replays, 13u);
}

TEST_F(GrowingRunTest, IsOverWhenEachProcessIs) {
  Append("a.1.1.gtap", Frame({RunEntry("a", 1), Ended(End::HOW_EXIT)}));
  Read();
  EXPECT_TRUE(run_.Over());
  writer_ = exporting::FrameWriter(exporting::Compression::kZstd);
  Append("a.2.2.gtap", Frame({RunEntry("a", 2)}));
  Read();
  EXPECT_FALSE(run_.Over());
  Append("a.2.2.gtap", Frame({Ended(End::HOW_EXIT)}));
  Read();
  EXPECT_TRUE(run_.Over());
}

TEST_F(GrowingRunTest, AnExecThatFailsIsNoEnd) {
  Append("a.1.1.gtap", Frame({RunEntry("a", 1), Ended(End::HOW_EXEC)}));
  Read();
  EXPECT_EQ(process().ending.how, Ending::How::kReplaced);
  Append("a.1.1.gtap", Frame({Ended(End::HOW_UNKNOWN)}));
  Read();
  EXPECT_EQ(process().ending.how, Ending::How::kUnknown);
}

TEST_F(GrowingRunTest, AProcessOfThisMachineThatIsGoneIsOver) {
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  constexpr std::uint32_t kNoProcess = 0x7fffffff;
  Append("h.1.1.gtap", Frame({RunEntry(host, kNoProcess)}));
  Read();
  EXPECT_TRUE(run_.Over());
}

TEST_F(GrowingRunTest, LeavesFilesOfAnotherRunOut) {
  Append("a.1.1.gtap", Frame({RunEntry("a", 1)}));
  writer_ = exporting::FrameWriter(exporting::Compression::kZstd);
  Append("a.2.2.gtap", Frame({RunEntry("a", 2, "r2")}));
  Read();
  EXPECT_EQ(run_.run().processes.size(), 1u);
  EXPECT_EQ(run_.run().foreign.at(0).run_id, "r2");
}

TEST_F(GrowingRunTest, RefusesWhatIsNoRunFile) {
  std::ofstream(path_) << "this is a text of some length, but without a frame in it";
  EXPECT_THAT(std::string(run_.Read().message()), HasSubstr("not a run file"));
}

}  // namespace
}  // namespace graphtap::model
