// Backlog: what is kept, in which order it comes out, and what happens when there is no room.
#include "interpose/record/backlog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

namespace graphtap::record {
namespace {

using Kept = Backlog::Kept;
using testing::ElementsAre;

constexpr DefinitionKey kRun{DefinitionKind::kRun, 0};
constexpr DefinitionKey kString0{DefinitionKind::kString, 0};
constexpr DefinitionKey kGraph0{DefinitionKind::kGraph, 0};

Definition Text(const std::string& bytes) {
  return std::make_shared<const Defined>(Messages{bytes, 1});
}

std::vector<std::string> Texts(const std::vector<Definition>& definitions) {
  std::vector<std::string> texts;
  for (const Definition& definition : definitions) texts.push_back(definition->Get().bytes);
  return texts;
}

TEST(RecordBacklogTest, GivesWhatWaitsOnce) {
  Backlog backlog(1000, 100);
  EXPECT_EQ(backlog.Add(kString0, Text("s")), Kept::kYes);
  EXPECT_EQ(backlog.Add("ab"), Kept::kYes);
  EXPECT_EQ(backlog.Add("cd"), Kept::kYes);
  const Backlog::Batch batch = backlog.Take(false, false);
  EXPECT_THAT(Texts(batch.definitions), ElementsAre("s"));
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(batch.records[0].bytes, "abcd");
  EXPECT_EQ(batch.records[0].count, 2u);
  EXPECT_EQ(batch.bytes, 5u);
  EXPECT_TRUE(batch.repeated.empty());
  EXPECT_TRUE(backlog.Take(false, false).records.empty());
}

TEST(RecordBacklogTest, ADefinitionIsEncodedWhenItIsAskedForAndOnce) {
  int encoded = 0;
  const auto late = std::make_shared<const Defined>(
      [&] {
        if (++encoded == 1) throw std::bad_alloc();
        return Messages{"late", 3};
      },
      3, 60);
  Backlog backlog(1000, 100);
  EXPECT_EQ(backlog.Add(kGraph0, late), Kept::kYes);
  Backlog::Batch batch = backlog.Take(false, false);
  EXPECT_EQ(batch.bytes, 60u) << "what it said that it takes";
  EXPECT_EQ(batch.Count(), 3u);
  EXPECT_EQ(encoded, 0);
  EXPECT_THROW(batch.definitions[0]->Get(), std::bad_alloc);
  EXPECT_EQ(batch.definitions[0]->Get().bytes, "late");
  EXPECT_EQ(late->Get().bytes, "late");
  EXPECT_EQ(encoded, 2);
}

TEST(RecordBacklogTest, ClosesFramesBeforeTheyGrowTooLarge) {
  Backlog backlog(1000, 4);
  for (const char* record : {"aaa", "b", "c", "ddddddd", "e"}) backlog.Add(record);
  const Backlog::Batch batch = backlog.Take(false, false);
  std::vector<std::string> frames;
  for (const Messages& frame : batch.records) frames.push_back(frame.bytes);
  EXPECT_THAT(frames, ElementsAre("aaab", "c", "ddddddd", "e"));
}

TEST(RecordBacklogTest, RepeatsLiveDefinitionsInTheOrderOfTheirKinds) {
  Backlog backlog(1000, 100);
  backlog.Add(kGraph0, Text("graph"));
  backlog.Add(kString0, Text("string"));
  backlog.Add({DefinitionKind::kExecutable, 0}, Text("executable"));
  backlog.Add(kRun, Text("run"));
  EXPECT_THAT(Texts(backlog.Take(true, false).repeated),
              ElementsAre("run", "string", "graph", "executable"));
  backlog.Retire(kGraph0);
  EXPECT_THAT(Texts(backlog.Take(true, false).repeated),
              ElementsAre("run", "string", "executable"));
}

TEST(RecordBacklogTest, ARetiredDefinitionStillComesOutForTheRecordsThatUseIt) {
  Backlog backlog(1000, 100);
  backlog.Add(kGraph0, Text("graph"));
  backlog.Retire(kGraph0);
  EXPECT_THAT(Texts(backlog.Take(false, false).definitions), ElementsAre("graph"));
}

TEST(RecordBacklogTest, KeepsPayloadsApartAndLeavesAnEighthToOthers) {
  Backlog backlog(80, 4);
  for (const char* piece : {"aaa", "b", "c"}) EXPECT_EQ(backlog.AddPayload(piece), Kept::kYes);
  backlog.Add("r");
  EXPECT_EQ(backlog.AddPayload(std::string(65, 'd')), Kept::kFull);  // 5 + 1 + 65 > 70
  EXPECT_EQ(backlog.AddPayload(std::string(64, 'd')), Kept::kYes);
  EXPECT_EQ(backlog.AddPayload("e"), Kept::kFull);
  EXPECT_EQ(backlog.Add("1234567890"), Kept::kYes);
  const Backlog::Batch batch = backlog.Take(false, false);
  std::vector<std::string> frames;
  for (const Messages& frame : batch.payloads) frames.push_back(frame.bytes);
  EXPECT_THAT(frames, ElementsAre("aaab", "c", std::string(64, 'd')));
  EXPECT_EQ(batch.payloads[0].count, 2u);
  EXPECT_EQ(batch.bytes, 80u);
}

TEST(RecordBacklogTest, RefusesWhatDoesNotFitUntilRoomIsReleased) {
  Backlog backlog(4, 100);
  EXPECT_EQ(backlog.Add("abcde"), Kept::kFull);
  EXPECT_EQ(backlog.Add("abcd"), Kept::kYes);
  EXPECT_EQ(backlog.Add("e"), Kept::kFull);
  const Backlog::Batch batch = backlog.Take(false, false);
  EXPECT_EQ(backlog.Add("e"), Kept::kFull);  // taken, but still in memory
  backlog.Release(1);
  EXPECT_EQ(backlog.Add("e"), Kept::kYes);
  EXPECT_EQ(backlog.Add("f"), Kept::kFull);
}

TEST(RecordBacklogTest, RepeatsADefinitionThatFoundNoRoomOnceThereIsSome) {
  Backlog backlog(4, 100);
  backlog.Add("abcd");
  EXPECT_EQ(backlog.Add(kString0, Text("s")), Kept::kFull);
  const std::uint64_t taken = backlog.Take(false, false).bytes;  // full: not now
  backlog.Release(taken);
  const Backlog::Batch batch = backlog.Take(false, false);
  EXPECT_THAT(Texts(batch.repeated), ElementsAre("s"));
  EXPECT_TRUE(batch.definitions.empty());
  EXPECT_TRUE(backlog.Take(false, false).repeated.empty());
}

TEST(RecordBacklogTest, TheLastBatchHasTheDefinitionsThatFoundNoRoom) {
  Backlog backlog(4, 100);
  backlog.Add("abcd");
  backlog.Add(kString0, Text("s"));
  EXPECT_THAT(Texts(backlog.Take(false, true).repeated), ElementsAre("s"));
}

TEST(RecordBacklogTest, TakesNothingAfterItIsClosed) {
  Backlog backlog(1000, 100);
  backlog.Take(false, true);
  EXPECT_EQ(backlog.Add("a"), Kept::kClosed);
  EXPECT_EQ(backlog.Add(kString0, Text("s")), Kept::kClosed);
  EXPECT_TRUE(backlog.Take(true, false).repeated.empty());
}

TEST(RecordBacklogTest, KeepsNothingOnceItIsBroken) {
  Backlog backlog(1000, 100);
  backlog.Add("a");
  backlog.AddPayload("p");
  backlog.Add(kString0, Text("s"));
  EXPECT_EQ(backlog.Break(), 3u);  // messages that waited
  EXPECT_EQ(backlog.Add("a"), Kept::kBroken);
  EXPECT_EQ(backlog.AddPayload("p"), Kept::kBroken);
  EXPECT_EQ(backlog.Add(kGraph0, Text("g")), Kept::kBroken);
  const Backlog::Batch batch = backlog.Take(true, false);
  EXPECT_TRUE(batch.records.empty());
  EXPECT_TRUE(batch.payloads.empty());
  EXPECT_TRUE(batch.definitions.empty());
  EXPECT_TRUE(batch.repeated.empty());
}

TEST(RecordBacklogTest, AFrameOfWaitingBytesOrAWakeEndsTheWait) {
  constexpr std::chrono::hours kForever(1);
  Backlog backlog(1000, 4);
  backlog.Add("abcd");
  backlog.Wait(kForever);
  backlog.Take(false, false);
  backlog.Wake();
  EXPECT_TRUE(backlog.Wait(kForever));
}

TEST(RecordBacklogTest, AWaitThatEndsToCollectIsNoFlushUnlessOneIsDueToo) {
  constexpr std::chrono::hours kForever(1);
  Backlog backlog(1000, 4);
  ASSERT_TRUE(backlog.TryWakeToCollect());
  EXPECT_FALSE(backlog.Wait(kForever));
  EXPECT_TRUE(backlog.Wait(std::chrono::milliseconds(1))) << "that was collected already";
  ASSERT_TRUE(backlog.TryWakeToCollect());
  backlog.Add("abcd");
  EXPECT_TRUE(backlog.Wait(kForever));
  backlog.Take(false, false);
  EXPECT_FALSE(backlog.Wait(kForever)) << "it is still to be collected";
}

TEST(RecordBacklogTest, RecordsThatComeTogetherStayInOneFrame) {
  Backlog backlog(1000, 4);
  backlog.Add("aa");
  EXPECT_EQ(backlog.Add("bbb", 3), Kept::kYes);
  const Backlog::Batch batch = backlog.Take(false, false);
  ASSERT_EQ(batch.records.size(), 2u);
  EXPECT_EQ(batch.records[1].bytes, "bbb");
  EXPECT_EQ(batch.records[1].count, 3u);
}

}  // namespace
}  // namespace graphtap::record
