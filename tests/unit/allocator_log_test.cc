// What an adapter tells of the allocator, as it stands in the file and in the histories of
// captures.
#include "interpose/blocks/allocator_log.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <future>
#include <thread>

#include "interpose/ops/thread_ops.h"
#include "tests/unit/recorded_file.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap::blocks {
namespace {

using Events = std::vector<graphtap::AllocatorEvent>;
using States = std::vector<graphtap::AllocatorState>;

driver::Calls NoDriver() {
  driver::Calls calls;
  calls.device_count = [](int*) { return CUDA_ERROR_NO_DEVICE; };
  calls.driver_version = [](int*) { return CUDA_ERROR_NOT_INITIALIZED; };
  return calls;
}

// Where a process records is decided when it is loaded.
struct Place {
  Place() { setenv("GRAPHTAP_OUT", folder.path().c_str(), 1); }
  const TemporaryFolder folder;
};
[[gnu::init_priority(101)]] const Place g_place;
const std::string& Folder() { return g_place.folder.path(); }

// An adapter of one segment, of which the test says which blocks there are.
class AllocatorLogTest : public testing::Test {
 protected:
  void Start(std::uint64_t events_at_once = 1000, session::Session::OnWriter collect = {}) {
    for (const auto& file : std::filesystem::directory_iterator(Folder())) {
      std::filesystem::remove(file);
    }
    Settings settings;
    settings.host_bytes = 8 * events_at_once * sizeof(WaitingEvent);
    settings.log = LogLevel::quiet;
    session_ = std::make_unique<session::Session>(settings, calls_);
    ASSERT_TRUE(session_->Start({}, std::move(collect)));
    log_ = std::make_unique<AllocatorLog>(*session_);
    log_->SetTaker([this] {
      if (before_told_) before_told_();
      if (tells_) Tell();
    });
  }

  void Tell() {
    const GraphtapSegment segment{sizeof(segment),
                                  2,
                                  0x10000,
                                  0x4000,
                                  reinterpret_cast<void*>(7),
                                  {8, 9},
                                  1,
                                  sizeof(GraphtapBlock),
                                  static_cast<std::uint32_t>(blocks_.size()),
                                  blocks_.data()};
    log_->OnState({sizeof(GraphtapAllocatorState), sizeof(segment), 1, &segment});
  }
  void Add(GraphtapAllocatorAction action, std::uint64_t address, std::uint64_t bytes) {
    log_->Add({sizeof(GraphtapAllocatorEvent),
               static_cast<std::uint32_t>(action),
               2,
               address,
               bytes,
               reinterpret_cast<void*>(7),
               {8, 9}});
  }
  void Alloc(std::uint64_t address, std::uint64_t bytes) { Add(GRAPHTAP_ALLOC, address, bytes); }

  // What the file has in the end.
  void Finish() {
    log_->WriteEvents(EventBuffers::Which::kAll);
    EXPECT_TRUE(session_->recorder().Finish({}, std::chrono::seconds(60)));
    const auto file = ReadRecordedFile(OnlyFileIn(Folder()));
    for (const Entry& entry : file.Entries(FrameKind::kRecords)) {
      if (entry.has_allocator_event()) events_.push_back(entry.allocator_event());
      if (entry.has_allocator_state()) states_.push_back(entry.allocator_state());
      if (entry.has_loss()) losses_[entry.loss().cause()] = entry.loss().count();
    }
  }

  const driver::Calls calls_ = NoDriver();
  std::unique_ptr<session::Session> session_;
  std::unique_ptr<AllocatorLog> log_;
  std::vector<GraphtapBlock> blocks_;
  bool tells_ = true;
  std::function<void()> before_told_;
  Events events_;
  States states_;
  std::map<std::uint32_t, std::uint64_t> losses_;
};

TEST_F(AllocatorLogTest, EventsAreNumberedAndKnowTheirThreadAndOperator) {
  Start();
  const auto name = session_->recorder().Intern("aten::mul.Tensor");
  Alloc(0x10000, 100);
  ops::Push({.capture = 1, .name = name, .leaf = true});
  Add(GRAPHTAP_FREE_REQUESTED, 0x10000, 100);
  ops::Pop();
  std::thread([this] { Add(GRAPHTAP_OUT_OF_MEMORY, 5, 1ull << 40); }).join();
  EXPECT_EQ(log_->Moment(), 3u);
  Finish();
  ASSERT_EQ(events_.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(events_[i].number(), i);
  EXPECT_EQ(events_[0].action(), graphtap::AllocatorEvent::ACTION_ALLOC);
  EXPECT_EQ(events_[0].device(), 2u);
  EXPECT_EQ(events_[0].address(), 0x10000u);
  EXPECT_EQ(events_[0].bytes(), 100u);
  EXPECT_EQ(events_[0].stream(), 7u);
  EXPECT_EQ(events_[0].pool_second(), 9u);
  EXPECT_FALSE(events_[0].has_op());
  EXPECT_TRUE(events_[1].has_op());
  EXPECT_EQ(events_[1].op(), static_cast<std::uint32_t>(name));
  EXPECT_EQ(events_[2].action(), graphtap::AllocatorEvent::ACTION_OUT_OF_MEMORY);
  EXPECT_NE(events_[2].thread(), events_[0].thread());
  EXPECT_LE(events_[0].time_ns(), events_[2].time_ns());
}

TEST_F(AllocatorLogTest, EventsForWhichThereIsNoRoomAreCountedAndTheirNumbersAreLeftOut) {
  Start(2);
  for (int i = 0; i < 5; ++i) Alloc(0x10000, 100);
  log_->WriteEvents(EventBuffers::Which::kAll);
  Alloc(0x10000, 100);
  Finish();
  ASSERT_EQ(events_.size(), 3u);
  EXPECT_EQ(events_[1].number(), 1u);
  EXPECT_EQ(events_[2].number(), 5u);
  EXPECT_EQ(losses_[static_cast<std::uint32_t>(Loss::buffer_full)], 3u);
}

TEST_F(AllocatorLogTest, AFullBufferIsWrittenBeforeTheNextFlush) {
  constexpr std::uint64_t kEvents = EventBuffers::kMostInBuffer + 1;
  std::promise<std::uint64_t> written;
  bool first = true;
  Start(2 * EventBuffers::kMostInBuffer, [&](record::Recorder&) {
    log_->WriteEvents(EventBuffers::Which::kFull);
    if (std::exchange(first, false)) written.set_value(log_->Moment());
  });
  for (std::uint64_t i = 0; i < kEvents; ++i) Alloc(0x10000, 100 + i);
  EXPECT_EQ(written.get_future().get(), kEvents);  // the test's time limit is the deadline
  Finish();
  ASSERT_EQ(events_.size(), kEvents);
  for (std::uint64_t i = 0; i < kEvents; ++i) ASSERT_EQ(events_[i].bytes(), 100 + i);
}

TEST_F(AllocatorLogTest, TheFirstStateThatNobodyAskedForIsTheStart) {
  Start();
  blocks_ = {{sizeof(GraphtapBlock), GRAPHTAP_BLOCK_ALLOCATED, 0x10000, 512, 100},
             {sizeof(GraphtapBlock), GRAPHTAP_BLOCK_PENDING, 0x10200, 512, 200},
             {sizeof(GraphtapBlock), GRAPHTAP_BLOCK_FREE, 0x10400, 0x3c00, 0}};
  EXPECT_EQ(log_->Begin({"before"}), nullptr) << "nothing is known yet";
  Tell();
  Tell();
  Finish();
  ASSERT_EQ(states_.size(), 1u);
  EXPECT_EQ(states_[0].label(), "start");
  EXPECT_TRUE(states_[0].settled());
  ASSERT_EQ(states_[0].segments_size(), 1);
  const auto& segment = states_[0].segments(0);
  EXPECT_EQ(segment.device(), 2u);
  EXPECT_EQ(segment.bytes(), 0x4000u);
  EXPECT_EQ(segment.stream(), 7u);
  EXPECT_EQ(segment.pool_first(), 8u);
  EXPECT_TRUE(segment.expandable());
  ASSERT_EQ(segment.blocks_size(), 3);
  EXPECT_EQ(segment.blocks(1).state(), graphtap::Block::STATE_PENDING);
  EXPECT_EQ(segment.blocks(1).address(), 0x10200u);
  EXPECT_EQ(segment.blocks(1).requested(), 200u);
  EXPECT_EQ(segment.blocks(2).bytes(), 0x3c00u);
}

TEST_F(AllocatorLogTest, AStartBesideEventsIsNotSettled) {
  Start();
  Alloc(0x10000, 100);
  Tell();
  Finish();
  EXPECT_FALSE(states_.at(0).settled());
  EXPECT_EQ(states_.at(0).events(), 1u);
}

TEST_F(AllocatorLogTest, AHistoryHasWhatHappenedWhileItWasOpen) {
  Start();
  Tell();
  Alloc(0x10000, 100);
  blocks_ = {{sizeof(GraphtapBlock), GRAPHTAP_BLOCK_ALLOCATED, 0x10000, 512, 100},
             {sizeof(GraphtapBlock), GRAPHTAP_BLOCK_FREE, 0x10200, 0x3e00, 0}};
  const auto first = log_->Begin({"first"});
  Alloc(0x10200, 200);
  const auto second = log_->Begin({"second"});
  Alloc(0x10400, 300);
  log_->End(first.get(), {"first end"});
  Alloc(0x10600, 400);
  log_->End(second.get(), {"second end"});
  Alloc(0x10800, 500);
  const auto third = log_->Begin({"third"});
  log_->End(third.get(), {"third end"});
  Finish();
  EXPECT_EQ(first->first, 1u);
  ASSERT_EQ(first->at_first.size(), 1u) << "a free one is none";
  EXPECT_EQ(first->at_first[0].bytes, 100u);
  EXPECT_EQ(first->at_first[0].pool.first, 8u);
  ASSERT_EQ(first->events.size(), 2u);
  EXPECT_EQ(first->events[0].number, 1u);
  EXPECT_EQ(second->first, 2u);
  ASSERT_EQ(second->events.size(), 2u);
  EXPECT_EQ(second->events[1].bytes, 400u);
  EXPECT_EQ(third->first, 5u);
  EXPECT_TRUE(third->events.empty());
  EXPECT_EQ(events_.size(), 5u);
  ASSERT_EQ(states_.size(), 7u);
  EXPECT_EQ(states_[3].label(), "first end");
  EXPECT_EQ(states_[3].events(), 3u);
  EXPECT_TRUE(states_[3].settled());
}

TEST_F(AllocatorLogTest, AStateThatEventsComeBesideIsTakenAgain) {
  Start();
  Tell();
  int left = 2;
  before_told_ = [&] {
    if (left-- > 0) Alloc(0x10000, 100);
  };
  const auto history = log_->Begin({"begin"});
  Finish();
  EXPECT_EQ(history->first, 2u);
  ASSERT_EQ(states_.size(), 2u);
  EXPECT_TRUE(states_[1].settled());
  EXPECT_EQ(states_[1].segments_size(), 1);
}

// Its events are applied to what may have them in it already.
TEST_F(AllocatorLogTest, AHistoryOfAStateThatDoesNotSettleBeginsBeforeIt) {
  Start();
  Tell();
  before_told_ = [&] { Alloc(0x10000, 100 + log_->Moment()); };
  const auto history = log_->Begin({"begin"});
  before_told_ = {};
  log_->End(history.get(), {"end"});
  Finish();
  EXPECT_EQ(history->first, 0u);
  EXPECT_EQ(history->events.size(), 3u);
  EXPECT_FALSE(states_.at(1).settled());
  EXPECT_EQ(states_.at(1).events(), 3u);
  EXPECT_TRUE(states_.at(2).settled());
  LiveBlocks live(*history);
  live.MoveTo(3, 3);
  EXPECT_EQ(live.Find(0x10000)->bytes, 102u);
}

TEST_F(AllocatorLogTest, AnAdapterThatDoesNotTellLeavesNoState) {
  Start();
  Tell();
  tells_ = false;
  const auto history = log_->Begin({"begin"});
  Alloc(0x10000, 100);
  log_->End(history.get(), {"end"});
  Tell();
  Finish();
  EXPECT_EQ(states_.size(), 1u) << "an empty one would be another than the events say";
  EXPECT_EQ(history->events.size(), 1u);
  EXPECT_TRUE(history->at_first.empty());
}

TEST_F(AllocatorLogTest, StructuresOfAnotherDayAreReadAsFarAsTheyGo) {
  Start();
  struct LongerBlock {
    GraphtapBlock block;
    std::uint64_t more;
  };
  const LongerBlock blocks[] = {
      {{sizeof(LongerBlock), GRAPHTAP_BLOCK_ALLOCATED, 0x10000, 512, 100}, 1},
      {{sizeof(LongerBlock), GRAPHTAP_BLOCK_PENDING, 0x10200, 512, 200}, 2}};
  struct LongerSegment {
    GraphtapSegment segment;
    std::uint64_t more;
  };
  LongerSegment segments[2] = {};
  for (LongerSegment& one : segments) {
    one.segment = {sizeof(one),         0, 0x10000,         1024, nullptr, {0, 0}, 0,
                   sizeof(LongerBlock), 2, &blocks[0].block};
  }
  log_->OnState({sizeof(GraphtapAllocatorState), sizeof(LongerSegment), 2, &segments[0].segment});
  Finish();
  ASSERT_EQ(states_.at(0).segments_size(), 2);
  ASSERT_EQ(states_.at(0).segments(1).blocks_size(), 2);
  EXPECT_EQ(states_.at(0).segments(1).blocks(1).address(), 0x10200u);
  EXPECT_EQ(states_.at(0).segments(1).blocks(1).requested(), 200u);
}

// Blocks that do not say what was asked for.
TEST_F(AllocatorLogTest, WhatAShorterStructureDoesNotHaveIsZero) {
  Start();
  struct ShorterBlock {
    std::uint32_t size, state;
    std::uint64_t address, bytes;
  };
  const ShorterBlock blocks[] = {{sizeof(ShorterBlock), GRAPHTAP_BLOCK_ALLOCATED, 0x10000, 512},
                                 {sizeof(ShorterBlock), GRAPHTAP_BLOCK_FREE, 0x10200, 1024}};
  const GraphtapSegment segment{sizeof(segment),
                                0,
                                0x10000,
                                1536,
                                nullptr,
                                {0, 0},
                                0,
                                sizeof(ShorterBlock),
                                2,
                                reinterpret_cast<const GraphtapBlock*>(blocks)};
  log_->OnState({sizeof(GraphtapAllocatorState), sizeof(segment), 1, &segment});
  Finish();
  const auto& seen = states_.at(0).segments(0);
  ASSERT_EQ(seen.blocks_size(), 2);
  EXPECT_EQ(seen.blocks(0).requested(), 0u);
  EXPECT_EQ(seen.blocks(1).bytes(), 1024u);
}

}  // namespace
}  // namespace graphtap::blocks
