// Recorder: sites, observations, the bytes they copied, and what becomes of the rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "interpose/record/recorder.h"
#include "tests/unit/record_recorder_fixture.h"

namespace graphtap::record {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

class ObservationsTest : public RecorderTest {
 protected:
  // Pieces by payload and offset.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> Pieces() {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> pieces;
    for (const Entry& entry : Read().Entries(FrameKind::kPayload)) {
      EXPECT_TRUE(entry.has_payload_piece());
      const auto& piece = entry.payload_piece();
      pieces[{piece.payload(), piece.offset()}] = piece.bytes();
    }
    return pieces;
  }

  // What the file says at last about each rule, and how often it says it.
  std::map<std::uint32_t, graphtap::RuleCounts> Rules() {
    std::map<std::uint32_t, graphtap::RuleCounts> rules;
    for (const Entry& entry : Read().Entries(FrameKind::kRecords)) {
      if (entry.has_rule_counts()) rules[entry.rule_counts().rule()] = entry.rule_counts();
    }
    return rules;
  }
};

TEST_F(ObservationsTest, WritesSitesThenRecordsThenPayloads) {
  Gate gate;
  options_.before_flush = [&](Recorder&) { gate.Pass(); };
  auto recorder = Start();
  gate.WaitUntilHeld();
  const PayloadId payload = recorder->NextPayload();
  recorder->AppendPiece(payload, 0, BytesOf("abc"));
  const SiteId site = recorder->Define(Site{.node = 4});
  recorder->Append(Observation{.site = site, .replay = 1, .payload = payload, .payload_bytes = 3});
  recorder->Append(Shadow());
  recorder->Append(Refusal());
  gate.Open();
  Finish(*recorder);
  const RecordedFile file = Read();
  EXPECT_EQ(site, SiteId{0});
  EXPECT_EQ(file.frames.at(1).entries.at(0).site().node(), 4u);
  EXPECT_TRUE(file.frames.at(2).entries.at(0).has_observation());
  EXPECT_TRUE(file.frames.at(2).entries.at(1).has_shadow());
  EXPECT_TRUE(file.frames.at(2).entries.at(2).has_refusal());
  EXPECT_EQ(file.frames.at(3).kind, FrameKind::kPayload);
  EXPECT_THAT(Pieces(), ElementsAre(Pair(Pair(0, 0), "abc")));
}

TEST_F(ObservationsTest, RepeatsSitesUntilTheyAreRetired) {
  options_.repeat_bytes = 1;
  Gate gate;
  options_.before_flush = [&](Recorder&) { gate.Pass(); };
  auto recorder = Start();
  gate.WaitUntilHeld();
  recorder->Define(Site{.node = 1});
  recorder->Retire(recorder->Define(Site{.node = 2}));
  gate.Open();
  Finish(*recorder);
  const RecordedFrame repeated = Read().frames.at(1);
  ASSERT_EQ(repeated.entries.size(), 2u);
  EXPECT_EQ(repeated.entries.at(1).site().node(), 1u);
}

TEST_F(ObservationsTest, CutsPayloadsIntoPieces) {
  std::string bytes(2 * kPieceMaxBytes + 5, 'a');
  bytes.front() = bytes.back() = 'z';
  auto recorder = Start();
  recorder->NextPayload();
  recorder->AppendPiece(recorder->NextPayload(), 7, BytesOf(bytes));
  Finish(*recorder);
  std::string joined;
  for (const auto& [place, piece] : Pieces()) {
    EXPECT_EQ(place, std::pair(std::uint64_t{1}, 7 + std::uint64_t{joined.size()}));
    EXPECT_LE(piece.size(), kPieceMaxBytes);
    joined += piece;
  }
  EXPECT_EQ(joined, bytes);
}

TEST_F(ObservationsTest, APieceWithoutRoomIsALoss) {
  Gate gate;
  options_.host_bytes = 100'000;
  options_.before_flush = [&](Recorder&) { gate.Pass(); };
  auto recorder = Start();
  gate.WaitUntilHeld();
  for (int i = 0; i < 200; ++i) {
    recorder->AppendPiece(PayloadId{0}, i * 1000u, BytesOf(std::string(1000, 'a')));
  }
  for (int i = 0; i < 100; ++i) recorder->Append(Coded(1));  // there is room for records still
  gate.Open();
  Finish(*recorder);
  const std::size_t kept = Pieces().size();
  EXPECT_GT(kept, 80u);
  EXPECT_LT(kept, 88u);
  EXPECT_EQ(MessageCodes().size(), 100u);
  EXPECT_THAT(Losses(), ElementsAre(Pair(0, 200 - kept)));
}

TEST_F(ObservationsTest, CountsWhatBecomesOfEachRule) {
  options_.rules = 3;
  auto recorder = Start();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) recorder->Count(2, RuleCount::kObserved, 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  recorder->Count(0, RuleCount::kRequested, 5);
  recorder->Count(0, RuleCount::kPlanned, 4);
  recorder->Count(0, RuleCount::kRefused, 1);
  recorder->Count(2, RuleCount::kLost, 3);
  recorder->Count(3, RuleCount::kLost, 1);  // there is no such rule
  Finish(*recorder);
  const auto rules = Rules();
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules.at(0).ShortDebugString(),
            "rule: 0 requested: 5 planned: 4 refused: 1 observed: 0 lost: 0");
  EXPECT_EQ(rules.at(1).ShortDebugString(),
            "rule: 1 requested: 0 planned: 0 refused: 0 observed: 0 lost: 0");
  EXPECT_EQ(rules.at(2).observed(), 8000u);
  EXPECT_EQ(rules.at(2).lost(), 3u);
  EXPECT_THAT(Losses(), ElementsAre(Pair(3, 1)));
}

}  // namespace
}  // namespace graphtap::record
