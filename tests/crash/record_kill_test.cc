// Kills a program that records at a random moment, 20 times: its file must be readable, without a
// gap, and at most the last second may be missing.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analyzer/reader/byte_source.h"
#include "analyzer/reader/entry_reader.h"
#include "tests/crash/record_loop.h"
#include "tests/unit/recorded_file.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap::crash {
namespace {

constexpr std::uint64_t kMayBeMissingNs = 1'000'000'000;
constexpr int kKills = 20;
constexpr int kLongestLifeMs = 1500;

// Runs record_loop and kills it after `life_ms`. False: it ended before.
bool RunAndKill(const std::string& folder, const std::string& progress, int life_ms) {
  int alive[2];  // the child holds the writing end until it ends
  if (pipe(alive) != 0) return false;
  std::string program = GRAPHTAP_RECORD_LOOP, folder_argument = folder, page = progress;
  char* const arguments[] = {program.data(), folder_argument.data(), page.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], nullptr, nullptr, arguments, environ);
  close(alive[1]);
  pollfd ended{.fd = alive[0], .events = POLLIN, .revents = 0};
  const bool lived = failed == 0 && poll(&ended, 1, life_ms) == 0;
  close(alive[0]);
  if (failed != 0) return false;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return lived;
}

// Time of the last message; those before it have no gap.
std::uint64_t CheckMessages(const std::vector<Entry>& records) {
  std::uint64_t next = 0, last_ns = 0;
  for (const Entry& entry : records) {
    if (!entry.has_message()) continue;
    EXPECT_EQ(entry.message().code(), next);
    ++next;
    last_ns = entry.message().time_ns();
  }
  return last_ns;
}

// Time of the last range of replays; those before it have no gap.
std::uint64_t CheckRanges(const std::vector<Entry>& records) {
  std::uint64_t next = 1, last_ns = 0;
  for (const Entry& entry : records) {
    EXPECT_FALSE(entry.has_loss()) << entry.DebugString();
    if (!entry.has_replay_range()) continue;
    EXPECT_EQ(entry.replay_range().first(), next);
    next = entry.replay_range().last() + 1;
    last_ns = entry.replay_range().last_ns();
  }
  return last_ns;
}

// The analyzer's reader, which forgives damage, finds none and as many messages.
void CheckWithAnalyzer(const std::string& path, const RecordedFile& file) {
  std::size_t expected = 0, found = 0;
  for (const RecordedFrame& frame : file.frames) expected += frame.count;
  const auto source = reader::OpenFile(path);
  ASSERT_TRUE(source.ok()) << source.status();
  reader::EntryReader entries(**source);
  for (Entry entry; entries.Next(&entry).value_or(false);) ++found;
  EXPECT_EQ(found, expected);
  EXPECT_FALSE(entries.damage().damaged());
  EXPECT_EQ(entries.damage().unfinished_bytes, file.unfinished_bytes);
}

TEST(RecordKillTest, AKilledProcessLeavesAReadableFileThatLacksAtMostASecond) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  int with_records = 0;
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    const int life_ms = std::uniform_int_distribution<int>(0, kLongestLifeMs)(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", killed after " + std::to_string(life_ms));
    const TemporaryFolder folder;
    const std::string page = folder.path() + "/progress", run = folder.path() + "/run";
    const std::uint64_t started_ns = NowNs();
    ASSERT_TRUE(RunAndKill(run, page, life_ms));
    Progress* const progress = OpenProgress(page.c_str());
    ASSERT_NE(progress, nullptr);
    const std::uint64_t recorded_ns = progress->time_ns;
    if (progress->records == 0) continue;  // killed before its first record

    const RecordedFile file = ReadRecordedFile(OnlyFileIn(run));
    CheckWithAnalyzer(OnlyFileIn(run), file);
    const std::vector<Entry> records = file.Entries(FrameKind::kRecords);
    EXPECT_GE(std::max(started_ns, CheckMessages(records)) + kMayBeMissingNs, recorded_ns);
    EXPECT_GE(std::max(started_ns, CheckRanges(records)) + kMayBeMissingNs, recorded_ns);
    with_records += records.empty() ? 0 : 1;
  }
  EXPECT_GE(with_records, kKills / 4);
}

}  // namespace
}  // namespace graphtap::crash
