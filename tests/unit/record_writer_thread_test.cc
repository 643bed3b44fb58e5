// The recorder's writer thread: when it writes, and what happens when it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <latch>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "interpose/record/recorder.h"
#include "tests/unit/record_recorder_fixture.h"

namespace graphtap::record {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST_F(RecorderTest, CollectsBeforeEachFlushAlsoWhenNothingWaits) {
  std::latch flushes(3);
  int calls = 0;
  options_.before_flush = [&](Recorder& recorder) {
    recorder.Append(Coded(77));
    if (++calls <= 3) flushes.count_down();
  };
  auto recorder = Start();
  flushes.wait();  // the test's time limit is the deadline
  Finish(*recorder);
  EXPECT_GE(MessageCodes().size(), 3u);
  EXPECT_EQ(MessageCodes().size(), static_cast<std::size_t>(calls));
}

TEST_F(RecorderTest, WhatWaitedForAFlushIsInTheFileBeforeTheNext) {
  std::promise<std::size_t> in_file;
  int calls = 0;
  options_.before_flush = [&](Recorder& recorder) {
    if (++calls == 1) recorder.Append(Coded(77));
    if (calls == 2) in_file.set_value(MessageCodes().size());
  };
  auto recorder = Start();
  EXPECT_EQ(in_file.get_future().get(), 1u);
}

TEST_F(RecorderTest, WhatIsWrittenNowIsInTheFileBeforeTheFlush) {
  std::promise<std::size_t> in_file;
  bool first = true;
  options_.before_flush = [&](Recorder& recorder) {
    if (!std::exchange(first, false)) return;
    recorder.Append(Coded(77));
    recorder.WriteNow();
    in_file.set_value(MessageCodes().size());
  };
  auto recorder = Start();
  EXPECT_EQ(in_file.get_future().get(), 1u);
}

TEST_F(RecorderTest, BlocksAllSignalsOnItsThreadOnly) {
  std::promise<sigset_t> mask;
  bool first = true;
  options_.before_flush = [&](Recorder&) {
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, nullptr, &set);
    if (std::exchange(first, false)) mask.set_value(set);
  };
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  auto recorder = Start();
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  const sigset_t writers = mask.get_future().get();
  for (const int signal : {SIGINT, SIGTERM, SIGUSR2, SIGXFSZ, SIGPROF}) {
    EXPECT_EQ(sigismember(&writers, signal), 1) << signal;
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

TEST_F(RecorderTest, DropsAndCountsWhatDoesNotFitIntoHostMemory) {
  Gate gate;
  options_.host_bytes = 100'000;
  options_.before_flush = [&](Recorder&) { gate.Pass(); };
  auto recorder = Start();
  gate.WaitUntilHeld();
  const std::string detail(1000, 'a');
  for (std::uint32_t i = 0; i < 200; ++i) recorder->Append(Coded(i, detail));
  recorder->Intern(detail);  // no room either, but repeated as soon as there is
  gate.Open();
  Finish(*recorder);
  const std::size_t kept = MessageCodes().size();
  EXPECT_GT(kept, 90u);
  EXPECT_LT(kept, 100u);
  EXPECT_THAT(Losses(), ElementsAre(Pair(0, 200 - kept + 1)));
  EXPECT_EQ(Read().Entries(FrameKind::kDefinitions).back().string().text(), detail);
}

TEST_F(RecorderTest, SaysWhenTheTimeForTheEndWasNotEnough) {
  Gate gate;
  options_.before_flush = [&](Recorder&) { gate.Pass(); };
  auto recorder = Start();
  gate.WaitUntilHeld();
  EXPECT_FALSE(recorder->Finish(End(), std::chrono::milliseconds(1)));
  gate.Open();
  recorder.reset();  // waits for the writer, which was slow but is not stuck
  EXPECT_THAT(Losses(), ElementsAre(Pair(8, 1)));
  EXPECT_EQ(Read().frames.back().kind, FrameKind::kEnd);
}

TEST_F(RecorderTest, SurvivesWhatItsCallbackThrows) {
  std::atomic<bool> thrown = false;
  options_.before_flush = [&](Recorder&) {
    if (!thrown.exchange(true)) throw std::runtime_error("out of memory");
  };
  auto recorder = Start();
  Finish(*recorder);
  EXPECT_THAT(Losses(), ElementsAre(Pair(3, 1)));
}

// Puts the limit on the size of files back when a test ends.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

// Where the limit is reached the system also sends SIGXFSZ, which would end the process if the
// writer thread did not block it.
TEST_F(RecorderTest, StopsAtAWriteErrorSaysSoOnceAndCountsTheRest) {
  Gate gate;
  std::promise<std::string> line;
  options_.zstd_level = 0;
  options_.before_flush = [&](Recorder&) { gate.Pass(); };
  options_.on_write_error = [&](const std::string& what) { line.set_value(what); };
  auto recorder = Start();
  gate.WaitUntilHeld();
  const std::string path = OnlyFileIn(folder_.path());
  const FileSizeLimit limit(4096);
  recorder->Append(Coded(0, std::string(10'000, 'a')));
  gate.Open();
  EXPECT_EQ(line.get_future().get(), path + ": File too large");
  recorder->Append(Message());
  EXPECT_EQ(recorder->Intern("a"), recorder->Intern("a"));
  Finish(*recorder);
  recorder.reset();
  // The frame that did not fit left no torn one, but room for what is missing and the end.
  EXPECT_THAT(Losses(), ElementsAre(Pair(1, 3)));
  EXPECT_EQ(Read().Entries(FrameKind::kDefinitions).size(), 1u);
  EXPECT_EQ(Read().unfinished_bytes, 0u);
  EXPECT_EQ(Read().frames.back().kind, FrameKind::kEnd);
}

// What one of the threads below records: each message names a string and a stream by id.
void Record(Recorder& recorder, int thread, int messages) {
  for (int i = 0; i < messages; ++i) {
    const StringId text = recorder.Intern("text " + std::to_string(i % 50));
    const StreamId stream = recorder.Define(Stream{.handle = static_cast<std::uint64_t>(i)});
    recorder.Append(Replay{.executable = static_cast<std::uint32_t>(text),
                           .number = static_cast<std::uint64_t>(i),
                           .stream = stream,
                           .thread = ThreadId{static_cast<std::uint32_t>(thread)}});
    if (i % 2 == 0) recorder.Retire(stream);
    if (i % 100 == 0) recorder.Count(Loss::unknown_node);
  }
}

TEST_F(RecorderTest, KeepsTheRecordsOfEightThreadsWithDefinitionsBeforeTheirUse) {
  constexpr int kThreads = 8, kMessages = 2000;
  options_.repeat_bytes = 10'000;
  auto recorder = Start();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] { Record(*recorder, thread, kMessages); });
  }
  for (std::thread& thread : threads) thread.join();
  Finish(*recorder);

  std::set<std::uint32_t> strings, streams;
  std::vector<std::uint64_t> next(kThreads);
  for (const RecordedFrame& frame : Read().frames) {
    for (const Entry& entry : frame.entries) {
      if (entry.has_string()) strings.insert(entry.string().id());
      if (entry.has_stream()) streams.insert(entry.stream().id());
      if (!entry.has_replay()) continue;
      EXPECT_EQ(strings.count(entry.replay().executable()), 1u);
      EXPECT_EQ(streams.count(entry.replay().stream()), 1u);
      EXPECT_EQ(entry.replay().number(), next.at(entry.replay().thread())++);
    }
  }
  EXPECT_EQ(strings.size(), 50u);
  EXPECT_EQ(streams.size(), static_cast<std::size_t>(kThreads * kMessages));
  EXPECT_THAT(next, testing::Each(kMessages));
  EXPECT_THAT(Losses(), ElementsAre(Pair(7, kThreads * kMessages / 100)));
}

}  // namespace
}  // namespace graphtap::record
