// The allocator's events, applied to its states and held against the next ones.
#include "analyzer/model/allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/built_process.h"

namespace graphtap::model {
namespace {

using testing::IsEmpty;

std::vector<StateCheck> Check(const std::string& text) {
  return BuildProcess(text)->allocator.checks;
}

std::string Event(int number, const std::string& fields) {
  return "entry { allocator_event { number: " + std::to_string(number) + " " + fields + " } }\n";
}

std::string State(const std::string& label, int events, const std::string& blocks,
                  bool settled = true) {
  return "entry { allocator_state { label: \"" + label + "\" events: " + std::to_string(events) +
         " settled: " + (settled ? "true" : "false") +
         " segments { stream: 7 pool_first: 8 pool_second: 9 " + blocks + " } } }\n";
}

std::string Alloc(int number, int address, int bytes) {
  return Event(number, "action: ACTION_ALLOC stream: 7 pool_first: 8 pool_second: 9 address: " +
                           std::to_string(address) + " bytes: " + std::to_string(bytes));
}
std::string Requested(int number, int address) {
  return Event(number, "action: ACTION_FREE_REQUESTED address: " + std::to_string(address));
}
std::string Completed(int number, int address) {
  return Event(number, "action: ACTION_FREE_COMPLETED address: " + std::to_string(address));
}
std::string Block(int address, int requested, const std::string& state = "ALLOCATED") {
  return "blocks { state: STATE_" + state + " address: " + std::to_string(address) +
         " bytes: 512 requested: " + std::to_string(requested) + " } ";
}

// Of the one difference of the last state.
BlockDifference OnlyDifference(const std::string& text) {
  const auto checks = Check(text);
  EXPECT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks.back().differences.size(), 1u);
  return checks.back().differences.empty() ? BlockDifference{} : checks.back().differences[0];
}

TEST(CheckStatesTest, EventsMakeTheNextState) {
  const auto checks =
      Check(State("start", 1, Block(0, 100) + Block(512, 200, "PENDING")) + Alloc(0, 0, 100) +
            Completed(1, 512) + Alloc(2, 1024, 300) +
            Event(3, "action: ACTION_SEGMENT_ALLOC address: 0 bytes: 9999") + Requested(4, 1024) +
            Requested(5, 4096) +
            State("end", 6, Block(0, 100) + Block(512, 0, "FREE") + Block(1024, 300, "PENDING")));
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].label, "start");
  EXPECT_EQ(checks[0].moment, 1u);
  EXPECT_EQ(checks[0].blocks, 2u);
  EXPECT_EQ(checks[1].label, "end");
  EXPECT_EQ(checks[1].moment, 6u);
  EXPECT_EQ(checks[1].blocks, 2u);
  EXPECT_EQ(checks[1].lost, 0u);
  EXPECT_THAT(checks[1].differences, IsEmpty());
}

TEST(CheckStatesTest, NamesBlocksThatOnlyOneOfThemHas) {
  auto difference = OnlyDifference(State("start", 0, "") + Alloc(0, 512, 1) + State("end", 1, ""));
  EXPECT_EQ(difference.address, 512u);
  EXPECT_EQ(difference.why, "not in the state");
  difference = OnlyDifference(State("start", 0, Block(512, 1)) + Completed(0, 512) +
                              State("end", 1, Block(512, 1)));
  EXPECT_EQ(difference.address, 512u);
  EXPECT_EQ(difference.why, "not by the events");
}

TEST(CheckStatesTest, NamesWhatIsOtherwise) {
  const auto why = [](const std::string& event, const std::string& state) {
    return OnlyDifference(State("start", 0, Block(0, 1)) + event + State("end", 1, state)).why;
  };
  EXPECT_EQ(why(Alloc(0, 0, 2), Block(0, 3)), "requested 2, then 3");
  EXPECT_EQ(why(Requested(0, 0), Block(0, 1)), "given back, then not");
  EXPECT_EQ(why(Requested(0, 512), Block(0, 1, "PENDING")), "not given back, then so");
  EXPECT_EQ(why(Event(0,
                      "action: ACTION_ALLOC address: 0 bytes: 1 stream: 6 pool_first: 8 "
                      "pool_second: 9"),
                Block(0, 1)),
            "stream 0x6, then 0x7");
  EXPECT_EQ(why(Event(0, "action: ACTION_ALLOC address: 0 bytes: 1 stream: 7 pool_second: 9"),
                Block(0, 1)),
            "pool 0,9, then 8,9");
}

TEST(CheckStatesTest, AStateThatDiffersIsWhatTheNextOneIsHeldAgainst) {
  const auto checks = Check(State("start", 0, "") + Alloc(0, 0, 1) + State("wrong", 1, "") +
                            Alloc(1, 512, 2) + State("right", 2, Block(512, 2)));
  ASSERT_EQ(checks.size(), 3u);
  EXPECT_EQ(checks[1].differences.size(), 1u);
  EXPECT_THAT(checks[2].differences, IsEmpty());
}

TEST(CheckStatesTest, WhatDidNotSettleIsLeftOut) {
  const auto checks =
      Check(State("start", 0, Block(0, 9), false) + Alloc(0, 0, 1) +
            State("first", 1, Block(0, 1)) + Alloc(1, 512, 2) + State("between", 2, "", false) +
            Completed(2, 0) + State("last", 3, Block(512, 2)));
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].label, "first");
  EXPECT_EQ(checks[1].label, "last");
  EXPECT_THAT(checks[1].differences, IsEmpty());
}

TEST(CheckStatesTest, BehindLostEventsNothingIsComparedUntilTheNextState) {
  const auto checks = Check(State("start", 2, "") + Alloc(2, 0, 1) + Alloc(5, 512, 2) +
                            State("behind", 6, Block(4096, 7)) + Alloc(6, 512, 3) +
                            State("next", 7, Block(512, 3) + Block(4096, 7)));
  ASSERT_EQ(checks.size(), 3u);
  EXPECT_EQ(checks[1].lost, 2u);
  EXPECT_THAT(checks[1].differences, IsEmpty());
  EXPECT_EQ(checks[2].lost, 0u);
  EXPECT_THAT(checks[2].differences, IsEmpty());
}

// A state is recorded at once, events later; what a file says twice counts once.
TEST(CheckStatesTest, AStateWaitsForItsEvents) {
  const std::string block = Block(512, 2);
  const auto process =
      BuildProcess(State("start", 0, "") + State("end", 3, block) + Alloc(0, 0, 1) +
                   Completed(1, 0) + Completed(1, 512) + Alloc(2, 512, 2) + Alloc(3, 1024, 5));
  const Allocator& allocator = process->allocator;
  EXPECT_EQ(allocator.events, 5u);
  EXPECT_EQ(allocator.by_action.at(graphtap::AllocatorEvent::ACTION_ALLOC), 3u);
  EXPECT_EQ(allocator.states, 2u);
  ASSERT_EQ(allocator.checks.size(), 2u);
  EXPECT_EQ(allocator.checks[1].label, "end");
  EXPECT_THAT(allocator.checks[1].differences, IsEmpty());
}

TEST(CheckStatesTest, AStateThatComesLateIsOnlyCounted) {
  const auto process =
      BuildProcess(Alloc(0, 0, 1) + Alloc(1, 512, 2) + State("late", 1, Block(0, 1)));
  EXPECT_EQ(process->allocator.states, 1u);
  EXPECT_THAT(process->allocator.checks, IsEmpty());
}

TEST(CheckStatesTest, TenDifferencesAreListedAndAllCounted) {
  std::string blocks;
  for (int i = 0; i < 25; ++i) blocks += Block(512 * i, 1);
  const auto checks = Check(State("start", 0, blocks) + State("end", 0, ""));
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[1].different, 25u);
  EXPECT_EQ(checks[1].differences.size(), 10u);
}

}  // namespace
}  // namespace graphtap::model
