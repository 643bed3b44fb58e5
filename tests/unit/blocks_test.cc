// Which block of the framework's allocator an address was in, at any time of a capture.
#include "interpose/blocks/history.h"

#include <gtest/gtest.h>

namespace graphtap::blocks {
namespace {

using record::AllocatorAction;

constexpr record::StringId kMul{1};
constexpr std::uint64_t kFirst = 1000;  // moment that the histories begin at

// A history, an event at a time; each block is known by the size that was asked for.
class LiveBlocksTest : public testing::Test {
 protected:
  LiveBlocksTest() { history_.first = kFirst; }

  void AtFirst(std::uint64_t address, std::uint64_t bytes) {
    history_.at_first.push_back({address, bytes, {1, 2}, {}});
  }
  void Add(AllocatorAction action, std::uint64_t address, std::uint64_t bytes) {
    record::AllocatorEvent event;
    event.number = Now();
    event.action = action;
    event.address = address;
    event.bytes = bytes;
    event.pool = {3, 4};
    event.op = kMul;
    history_.events.push_back(event);
  }
  void Alloc(std::uint64_t address, std::uint64_t bytes) {
    Add(AllocatorAction::kAlloc, address, bytes);
  }
  void Free(std::uint64_t address) {
    Add(AllocatorAction::kFreeRequested, address, 0);
    Add(AllocatorAction::kFreeCompleted, address, 0);
  }
  std::uint64_t Now() const { return kFirst + history_.events.size(); }

  // The size of the block that holds the address between two moments; 0: none does.
  std::uint64_t At(std::uint64_t begin, std::uint64_t end, std::uint64_t address) const {
    LiveBlocks live(history_);
    live.MoveTo(begin, end);
    return SizeAt(live, address);
  }
  static std::uint64_t SizeAt(LiveBlocks& live, std::uint64_t address) {
    const auto block = live.Find(address);
    return block == nullptr ? 0 : block->bytes;
  }

  History history_;
};

TEST_F(LiveBlocksTest, ABlockHoldsItsAddressesOnly) {
  AtFirst(512, 100);
  Alloc(2048, 200);
  const auto at = [this](std::uint64_t address) { return At(kFirst, Now(), address); };
  EXPECT_EQ(at(0), 0u);
  EXPECT_EQ(at(511), 0u);
  EXPECT_EQ(at(512), 100u);
  EXPECT_EQ(at(611), 100u);
  EXPECT_EQ(at(612), 0u) << "that was not asked for";
  EXPECT_EQ(at(2047), 0u);
  EXPECT_EQ(at(2247), 200u);
  EXPECT_EQ(at(2248), 0u);
  EXPECT_EQ(at(~0ull), 0u);
}

TEST_F(LiveBlocksTest, ABlockTellsItsPoolAndTheOperatorThatAsked) {
  AtFirst(512, 100);
  Alloc(1024, 200);
  LiveBlocks live(history_);
  live.MoveTo(kFirst, Now());
  const auto old = live.Find(512), made = live.Find(1030);
  EXPECT_EQ(old->address, 512u);
  EXPECT_EQ(old->pool.second, 2u);
  EXPECT_EQ(old->op, std::nullopt) << "it was there before";
  EXPECT_EQ(made->address, 1024u);
  EXPECT_EQ(made->pool.first, 3u);
  EXPECT_EQ(made->op, kMul);
}

TEST_F(LiveBlocksTest, AnAddressThatIsGivenOutAgainIsOfWhoHadItThen) {
  AtFirst(512, 100);
  const std::uint64_t first = Now();
  Free(512);
  const std::uint64_t none = Now();
  Alloc(512, 200);
  const std::uint64_t second = Now();
  Free(512);
  Alloc(512, 300);
  const std::uint64_t third = Now();
  LiveBlocks live(history_);
  live.MoveTo(first, first);
  EXPECT_EQ(SizeAt(live, 512), 100u);
  live.MoveTo(none, none);
  EXPECT_EQ(SizeAt(live, 512), 0u);
  live.MoveTo(second, second);
  EXPECT_EQ(SizeAt(live, 512), 200u);
  live.MoveTo(third, third);
  EXPECT_EQ(SizeAt(live, 512), 300u);
}

TEST_F(LiveBlocksTest, WhatIsFreedInsideAnIntervalMayStillBeUsedThere) {
  AtFirst(512, 100);
  Free(512);
  EXPECT_EQ(At(kFirst, Now(), 512), 100u);
  EXPECT_EQ(At(Now(), Now(), 512), 0u);
}

TEST_F(LiveBlocksTest, WhatIsGivenBackIsThereUntilItsStreamsAreDone) {
  AtFirst(512, 100);
  Add(AllocatorAction::kFreeRequested, 512, 0);
  EXPECT_EQ(At(Now(), Now(), 512), 100u);
  Add(AllocatorAction::kFreeCompleted, 512, 0);
  EXPECT_EQ(At(Now(), Now(), 512), 0u);
}

TEST_F(LiveBlocksTest, OfSeveralInOneIntervalTheLastHasTheAddress) {
  AtFirst(512, 100);
  Free(512);
  Alloc(512, 200);
  Free(512);
  Alloc(512, 300);
  const std::uint64_t end = Now();
  Alloc(512, 400);
  EXPECT_EQ(At(kFirst, end, 512), 300u);
  EXPECT_EQ(At(kFirst, kFirst + 3, 512), 200u);
}

// The first part of a block is given out again, then the second, then both as one.
TEST_F(LiveBlocksTest, PartsOfABlockAreOfTheirSuccessors) {
  AtFirst(1024, 1024);
  Free(1024);
  Alloc(1024, 512);
  Alloc(1536, 256);
  const std::uint64_t parts = Now();
  Free(1024);
  Free(1536);
  Alloc(1024, 1000);
  LiveBlocks live(history_);
  live.MoveTo(kFirst, parts);
  EXPECT_EQ(SizeAt(live, 1030), 512u);
  EXPECT_EQ(SizeAt(live, 1540), 256u);
  live.MoveTo(parts, parts);
  EXPECT_EQ(SizeAt(live, 1540), 256u);
  EXPECT_EQ(SizeAt(live, 1800), 0u);
  live.MoveTo(Now(), Now());
  EXPECT_EQ(SizeAt(live, 1540), 1000u);
}

TEST_F(LiveBlocksTest, ItDoesNotGoBack) {
  AtFirst(512, 100);
  Free(512);
  Alloc(512, 200);
  const std::uint64_t later = Now();
  Alloc(1024, 300);
  LiveBlocks live(history_);
  live.MoveTo(later, later);
  live.MoveTo(kFirst, kFirst);
  EXPECT_EQ(SizeAt(live, 512), 200u);
  live.MoveTo(later, kFirst);
  EXPECT_EQ(SizeAt(live, 1024), 0u);
  live.MoveTo(0, ~0ull);
  EXPECT_EQ(SizeAt(live, 1024), 300u);
  live.MoveTo(~0ull, 0);
  EXPECT_EQ(SizeAt(live, 1024), 300u);
}

TEST_F(LiveBlocksTest, OtherEventsChangeNothing) {
  AtFirst(512, 100);
  for (const auto action :
       {AllocatorAction::kSegmentAlloc, AllocatorAction::kSegmentFree, AllocatorAction::kSegmentMap,
        AllocatorAction::kSegmentUnmap, AllocatorAction::kOutOfMemory}) {
    Add(action, 512, 4096);
  }
  Free(4096);  // of which nothing is known
  EXPECT_EQ(At(Now(), Now(), 512), 100u);
  EXPECT_EQ(At(Now(), Now(), 700), 0u);
}

TEST_F(LiveBlocksTest, ABlockThatWasFoundStays) {
  AtFirst(512, 100);
  Free(512);
  LiveBlocks live(history_);
  const auto block = live.Find(512);
  live.MoveTo(Now(), Now());
  EXPECT_EQ(live.Find(512), nullptr);
  EXPECT_EQ(block->bytes, 100u);
}

}  // namespace
}  // namespace graphtap::blocks
