// That the events, replayed, give the state at any time. Each test in its own process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "tests/adapter/allocator_log.h"
#include "tests/adapter/allocator_user.h"
#include "tests/adapter/fake_host.h"

namespace graphtap::adapter_test {
namespace {

namespace caching = c10::cuda::CUDACachingAllocator;
using caching::TraceEntry;

// What the states had, so that it is known to have been compared.
struct Seen {
  int pending = 0, pooled = 0, blocks = 0;
};

void ExpectStateAsReplayed(Seen* seen) {
  Adapter().take_allocator_state();
  const AllocatorLog log = ReadLog();
  EXPECT_EQ(Differences(log.last_state, log.replayed), "");
  for (const auto& [address, block] : log.last_state.blocks) {
    ++seen->blocks;
    seen->pending += block.state == GRAPHTAP_BLOCK_PENDING;
    seen->pooled += block.pool_first != 0;
  }
}

void ExpectAllSeen(const Seen& seen) {
  EXPECT_GT(seen.blocks, 500);
  EXPECT_GT(seen.pending, 0);
  EXPECT_GT(seen.pooled, 0);
  const AllocatorLog log = ReadLog();
  EXPECT_EQ(log.impossible, 0);
  EXPECT_GE(log.events.size(), 100000u);
  testing::Test::RecordProperty("events", static_cast<int>(log.events.size()));
}

void Begin() {
  InitialiseAllocator();
  Adapter().watch_allocator();
  RunOp();
}

void ReplayOneThread() {
  Begin();
  Seen seen;
  AllocatorUser user(7);
  for (int round = 0; round < 100; ++round) {
    user.Run(900);
    user.LeavePending();
    ExpectStateAsReplayed(&seen);
  }
  user.FreeAll();
  caching::emptyCache();
  ExpectStateAsReplayed(&seen);
  ExpectAllSeen(seen);
  EXPECT_TRUE(ReadLog().last_state.blocks.empty());
}

void ReplayThreads() {
  Begin();
  Seen seen;
  std::vector<std::unique_ptr<AllocatorUser>> users;
  for (int i = 0; i < 4; ++i) users.push_back(std::make_unique<AllocatorUser>(i));
  for (int round = 0; round < 12; ++round) {
    std::vector<std::thread> threads;
    for (const auto& user : users) threads.emplace_back([&] { user->Run(2000); });
    // That it may be asked at any time.
    for (int i = 0; i < 5; ++i) Adapter().take_allocator_state();
    for (std::thread& thread : threads) thread.join();
    users[round % users.size()]->LeavePending();
    ExpectStateAsReplayed(&seen);
  }
  ExpectAllSeen(seen);
}

TEST(AllocatorReplay, OneThread) {
  ReplayOneThread();
  EXPECT_EQ(ReadLog().CountOf(GRAPHTAP_SEGMENT_MAP), 0u);
}

TEST(AllocatorReplay, Threads) { ReplayThreads(); }

TEST(AllocatorExpandable, OneThread) {
  ReplayOneThread();
  EXPECT_GT(ReadLog().CountOf(GRAPHTAP_SEGMENT_MAP), 0u);
  EXPECT_GT(ReadLog().CountOf(GRAPHTAP_SEGMENT_UNMAP), 0u);
}

TEST(AllocatorExpandable, Threads) {
  ReplayThreads();
  EXPECT_GT(ReadLog().expandable_segments, 0u);
}

std::shared_ptr<c10::GatheredContext> NoContext() { return nullptr; }

template <typename Allocator>
void RecordHistory(Allocator* allocator, bool on) {
  constexpr auto kWhen = caching::RecordContext::ALL;
  if constexpr (requires { allocator->recordHistory(on, &NoContext, 1, kWhen, false, {}); }) {
    allocator->recordHistory(on, &NoContext, 1000000, kWhen, false, {});
  } else if constexpr (requires { allocator->recordHistory(on, &NoContext, 1, kWhen, false); }) {
    allocator->recordHistory(on, &NoContext, 1000000, kWhen, false);
  } else {
    allocator->recordHistory(on, &NoContext, 1000000, kWhen);
  }
}

// Address, bytes and stream tell the entries apart; what each release calls them is its own.
bool IsSame(const TraceEntry& kept, const GraphtapAllocatorEvent& told) {
  return static_cast<std::uint64_t>(kept.addr_) == told.address &&
         static_cast<std::uint64_t>(kept.size_) == told.bytes && kept.stream_ == told.stream;
}

TEST(AllocatorReplay, TheHistoryOfThePersonStays) {
  InitialiseAllocator();
  RecordHistory(caching::get(), true);
  Adapter().watch_allocator();
  RunOp();
  Seen seen;
  AllocatorUser user(3);
  for (int round = 0; round < 10; ++round) {
    user.Run(500);
    ExpectStateAsReplayed(&seen);
  }
  EXPECT_TRUE(caching::isHistoryEnabled());
  std::vector<TraceEntry> kept = caching::get()->snapshot().device_traces.at(0);
  // A state leaves an entry of its own, whoever has asked for it.
  std::erase_if(kept, [](const auto& entry) { return entry.action_ == TraceEntry::SNAPSHOT; });
  const std::vector<GraphtapAllocatorEvent> told = ReadLog().events;
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), told.begin(), told.end(), &IsSame))
      << kept.size() << " kept, " << told.size() << " told";
  RecordHistory(caching::get(), false);
}

}  // namespace
}  // namespace graphtap::adapter_test
