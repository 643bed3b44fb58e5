// Recorder: from calls to a file that a strict reader accepts.
#include "interpose/record/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/contents.h"
#include "tests/unit/record_recorder_fixture.h"

namespace graphtap::record {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<Entry::BodyCase> Kinds(const std::vector<Entry>& entries) {
  std::vector<Entry::BodyCase> kinds;
  for (const Entry& entry : entries) kinds.push_back(entry.body_case());
  return kinds;
}

TEST_F(RecorderTest, NamesTheFileAfterHostProcessAndStart) {
  Start();
  EXPECT_EQ(OnlyFileIn(folder_.path()), folder_.path() + "/node_1.42.1234abcd.gtap");
}

TEST_F(RecorderTest, SaysWhyThereIsNoFile) {
  options_.folder += "/no/such";
  std::string error;
  EXPECT_EQ(Recorder::Start(options_, record::Run(), &error), nullptr);
  EXPECT_EQ(error, options_.folder + ": No such file or directory");
}

TEST_F(RecorderTest, WritesDefinitionsThenRecordsThenTheEnd) {
  auto recorder = Start();
  recorder->Append(Coded(1));
  const StringId key = recorder->Intern("graph#0");
  const ThreadId thread = recorder->Define(Thread());
  recorder->Define(Stream());
  const FunctionId function = recorder->Define(Function());
  const GraphId graph = recorder->Define(Graph(), Contents(std::vector<Node>(2)));
  recorder->Define(Executable{.graph = graph, .key = key, .thread = thread});
  recorder->Append(Capture());
  recorder->Append(Update());
  recorder->Append(Replay());
  recorder->Append(ReplayRange());
  Finish(*recorder);
  EXPECT_EQ(function, FunctionId{0});

  const RecordedFile file = Read();
  EXPECT_THAT(
      Kinds(file.Entries(FrameKind::kDefinitions)),
      ElementsAre(Entry::kRun, Entry::kString, Entry::kThread, Entry::kStream, Entry::kFunction,
                  Entry::kGraph, Entry::kNode, Entry::kNode, Entry::kExecutable));
  EXPECT_THAT(Kinds(file.Entries(FrameKind::kRecords)),
              ElementsAre(Entry::kMessage, Entry::kCapture, Entry::kUpdate, Entry::kReplay,
                          Entry::kReplayRange, Entry::kEnd));
  EXPECT_EQ(file.frames.back().kind, FrameKind::kEnd);
  EXPECT_EQ(file.frames.back().count, 0u);
  EXPECT_EQ(file.unfinished_bytes, 0u);
}

TEST_F(RecorderTest, WritesTheRunAndTheEndAsTheyAre) {
  auto recorder = Start();
  Finish(*recorder);
  const RecordedFile file = Read();
  EXPECT_EQ(file.Entries(FrameKind::kDefinitions).at(0).run().run_id(), "r7");
  const graphtap::End end = file.Entries(FrameKind::kRecords).back().end();
  EXPECT_EQ(end.how(), graphtap::End::HOW_EXIT);
  EXPECT_EQ(end.exit_code(), 3);
  EXPECT_EQ(end.time_ns(), 9u);
}

TEST_F(RecorderTest, WritesNothingAfterTheEnd) {
  auto recorder = Start();
  Finish(*recorder);
  const auto size = std::filesystem::file_size(OnlyFileIn(folder_.path()));
  recorder->Append(Message());
  recorder->Intern("late");
  recorder->Count(Loss::internal);
  EXPECT_TRUE(recorder->Finish(End(), kDeadline));
  recorder.reset();
  EXPECT_EQ(std::filesystem::file_size(OnlyFileIn(folder_.path())), size);
}

TEST_F(RecorderTest, WithoutFinishTheFileHasEverythingButAnEnd) {
  auto recorder = Start();
  recorder->Append(Coded(5));
  recorder.reset();
  EXPECT_THAT(MessageCodes(), ElementsAre(5));
  EXPECT_EQ(Read().frames.back().kind, FrameKind::kRecords);
}

TEST_F(RecorderTest, GivesEachTextOneId) {
  auto recorder = Start();
  const StringId a = recorder->Intern("a");
  const StringId empty = recorder->Intern("");
  EXPECT_EQ(recorder->Intern("a"), a);
  EXPECT_NE(a, empty);
  Finish(*recorder);
  const auto definitions = Read().Entries(FrameKind::kDefinitions);
  ASSERT_EQ(definitions.size(), 3u);
  EXPECT_EQ(definitions[1].string().text(), "a");
  EXPECT_EQ(definitions[1].string().id(), 0u);
  EXPECT_EQ(definitions[2].string().id(), 1u);
}

TEST_F(RecorderTest, CountsLossesInWholeNumbers) {
  auto recorder = Start();
  recorder->Count(Loss::unknown_node);
  recorder->Count(Loss::unknown_node, 6);
  recorder->Count(Loss::graph_unread, 2);
  Finish(*recorder);
  EXPECT_THAT(Losses(), ElementsAre(Pair(5, 2), Pair(7, 7)));
}

TEST_F(RecorderTest, DropsAndCountsAMessageThatNoReaderWouldTake) {
  auto recorder = Start();
  const std::string huge(kFrameMaxRawBytes, 'a');
  recorder->Append(Coded(1, huge));
  recorder->Intern(huge);
  recorder->Append(Coded(2));
  Finish(*recorder);
  EXPECT_THAT(MessageCodes(), ElementsAre(2));
  EXPECT_EQ(Read().Entries(FrameKind::kDefinitions).size(), 1u);
  EXPECT_THAT(Losses(), ElementsAre(Pair(2, 2)));
}

TEST_F(RecorderTest, ClosesFramesOfOneMebibyte) {
  options_.zstd_level = 0;
  auto recorder = Start();
  for (int i = 0; i < 30; ++i) recorder->Append(Coded(0, std::string(100'000, 'a')));
  Finish(*recorder);
  for (const RecordedFrame& frame : Read().frames) {
    EXPECT_LE(frame.payload.size(), kFrameTargetBytes);
  }
  EXPECT_EQ(MessageCodes().size(), 30u);
}

TEST_F(RecorderTest, RepeatsLiveDefinitionsBeforeNewOnes) {
  options_.repeat_bytes = 1;
  Gate gate;
  options_.before_flush = [&](Recorder&) { gate.Pass(); };
  auto recorder = Start();
  gate.WaitUntilHeld();  // the run is in the file; no repetition since
  recorder->Intern("kept");
  recorder->Retire(recorder->Define(Graph(), Contents({})));
  const StreamId stream = recorder->Define(Stream());
  recorder->Retire(stream);
  recorder->Define(Executable{.number = 3});
  recorder->RetireExecutable(3);
  gate.Open();
  Finish(*recorder);
  EXPECT_THAT(Kinds(Read().frames.at(1).entries), ElementsAre(Entry::kRun, Entry::kString));
  EXPECT_THAT(Kinds(Read().frames.at(2).entries),
              ElementsAre(Entry::kString, Entry::kGraph, Entry::kStream, Entry::kExecutable));
}

TEST_F(RecorderTest, PutsTheRunIntoEachFrameOfARepetition) {
  options_.repeat_bytes = 1;
  Gate gate;
  options_.before_flush = [&](Recorder&) { gate.Pass(); };
  auto recorder = Start();
  gate.WaitUntilHeld();
  for (int i = 0; i < 30; ++i) recorder->Intern(std::to_string(i) + std::string(100'000, 'a'));
  gate.Open();
  Finish(*recorder);
  const RecordedFile file = Read();
  for (int frame = 1; frame <= 3; ++frame) {
    EXPECT_EQ(file.frames.at(frame).entries.at(0).body_case(), Entry::kRun);
    EXPECT_LE(file.frames.at(frame).payload.size(), kFrameTargetBytes + 100);
  }
}

TEST_F(RecorderTest, SplitsALargeGraphBetweenItsNodes) {
  Node node;
  node.parameters.kernel.emplace();
  node.parameters.kernel->scalars = {{.bytes = std::vector<std::byte>(400'000), .size = 400'000}};
  auto recorder = Start();
  recorder->Define(Graph(), Contents(std::vector<Node>(5, node)));
  Finish(*recorder);
  EXPECT_EQ(Read().Entries(FrameKind::kDefinitions).size(), 1u + 1 + 5);
  for (const RecordedFrame& frame : Read().frames) {
    EXPECT_LE(frame.payload.size(), kFrameTargetBytes);
  }
}

}  // namespace
}  // namespace graphtap::record
