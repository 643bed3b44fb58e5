// When the adapter begins to tell of the allocator, and of what then. Each test in its own process.

#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>

#include "tests/adapter/allocator_log.h"
#include "tests/adapter/allocator_user.h"
#include "tests/adapter/fake_host.h"

namespace graphtap::adapter_test {
namespace {

namespace caching = c10::cuda::CUDACachingAllocator;

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

c10::DataPtr Take(std::size_t bytes) { return caching::get()->allocate(bytes); }

std::uint64_t AddressOf(const c10::DataPtr& block) {
  return reinterpret_cast<std::uint64_t>(block.get());
}

TEST(AllocatorWatch, WaitsForTheFirstOpAfterTheAllocatorIsInitialised) {
  Adapter().watch_allocator();
  RunOp();
  EXPECT_FALSE(caching::get()->initialized());
  Adapter().take_allocator_state();
  EXPECT_EQ(ReadLog().states, 0);
  InitialiseAllocator();
  Adapter().take_allocator_state();
  EXPECT_EQ(ReadLog().states, 0);
  EXPECT_TRUE(at::hasGlobalCallbacks());
  RunOp();
  EXPECT_EQ(ReadLog().states, 1);
  EXPECT_THAT(ReadLog().last_state.memory, IsEmpty());
  EXPECT_FALSE(at::hasGlobalCallbacks());
  const c10::DataPtr block = Take(1000);
  const AllocatorLog log = ReadLog();
  ASSERT_THAT(log.events, SizeIs(2));
  EXPECT_EQ(log.events[0].action, unsigned{GRAPHTAP_SEGMENT_ALLOC});
  EXPECT_EQ(log.events[1].action, unsigned{GRAPHTAP_ALLOC});
  EXPECT_EQ(log.events[1].address, AddressOf(block));
  EXPECT_EQ(log.events[1].bytes, 1000u);
  EXPECT_EQ(log.events[1].device, 0);
}

TEST(AllocatorWatch, TheFirstStateHasWhatWasThereBefore) {
  InitialiseAllocator();
  AllocatorUser user(1);
  user.Run(2000);
  const c10::DataPtr block = Take(12345);
  Adapter().watch_allocator();
  RunOp();
  AllocatorLog log = ReadLog();
  EXPECT_EQ(log.states, 1);
  EXPECT_THAT(log.events, IsEmpty());
  ASSERT_TRUE(log.last_state.blocks.contains(AddressOf(block)));
  EXPECT_EQ(log.last_state.blocks[AddressOf(block)].requested, 12345u);
  EXPECT_GT(log.last_state.blocks.size(), 100u);
  user.Run(2000);
  Adapter().take_allocator_state();
  log = ReadLog();
  EXPECT_EQ(Differences(log.last_state, log.replayed), "");
}

TEST(AllocatorWatch, ACaptureBeginsItWithoutAnOp) {
  InitialiseAllocator();
  Adapter().watch_allocator();
  EXPECT_EQ(ReadLog().states, 0);
  {
    const Watch watch;
    EXPECT_EQ(ReadLog().states, 1);
    const c10::DataPtr block = Take(1);
    EXPECT_EQ(ReadLog().CountOf(GRAPHTAP_ALLOC), 1u);
    RunOp();
    EXPECT_THAT(watch.Ops(), SizeIs(1));
  }
  EXPECT_EQ(ReadLog().states, 1);
}

TEST(AllocatorWatch, NothingIsToldUnasked) {
  InitialiseAllocator();
  const Watch watch;
  RunOp();
  const c10::DataPtr block = Take(1);
  Adapter().take_allocator_state();
  EXPECT_EQ(ReadLog().states, 0);
  EXPECT_THAT(ReadLog().events, IsEmpty());
}

TEST(AllocatorWatch, AHostThatDoesNotKnowOfItIsNotCalled) {
  static GraphtapHost older = Host();
  older.size = offsetof(GraphtapHost, allocator_event);
  GraphtapAdapter adapter{};
  adapter.size = sizeof(adapter);
  ASSERT_EQ(Entry()(&older, &adapter), 0);
  adapter.watch_allocator();
  InitialiseAllocator();
  adapter.watch_ops(1);
  RunOp();
  adapter.watch_ops(0);
  const c10::DataPtr block = Take(1);
  adapter.take_allocator_state();
  EXPECT_EQ(ReadLog().states, 0);
  EXPECT_THAT(ReadLog().events, IsEmpty());
}

TEST(AllocatorWatch, BeginsOnceOfManyThreads) {
  Adapter().watch_allocator();
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!done) RunOp();
    });
  }
  InitialiseAllocator();
  while (ReadLog().states == 0) std::this_thread::yield();
  const c10::DataPtr block = Take(1);
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ReadLog().states, 1);
  EXPECT_EQ(ReadLog().CountOf(GRAPHTAP_ALLOC), 1u);
  EXPECT_FALSE(at::hasGlobalCallbacks());
}

TEST(AllocatorWatch, TheLackOfMemoryIsToldAndThrownAsEver) {
  InitialiseAllocator();
  Adapter().watch_allocator();
  RunOp();
  const c10::DataPtr held = Take(4 << 20);
  caching::get()->setMemoryFraction(1e-9, 0);
  EXPECT_THROW(Take(std::size_t{1} << 30), c10::OutOfMemoryError);
  caching::get()->setMemoryFraction(1, 0);
  const AllocatorLog log = ReadLog();
  ASSERT_EQ(log.CountOf(GRAPHTAP_OUT_OF_MEMORY), 1u);
  for (const GraphtapAllocatorEvent& event : log.events) {
    if (event.action != GRAPHTAP_OUT_OF_MEMORY) continue;
    EXPECT_GE(event.bytes, std::uint64_t{1} << 30);
    EXPECT_GT(event.address, 0u);
  }
  ASSERT_THAT(log.failures, SizeIs(1));
  EXPECT_GE(log.failures[0].bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(log.failures[0].device, 0);
  EXPECT_EQ(log.states, 2) << "the state can be asked for then";
  EXPECT_EQ(log.differences_at_failure, "");
  EXPECT_TRUE(log.last_state.blocks.contains(AddressOf(held)));
}

TEST(AllocatorAsynchronous, HasNoEvents) {
  InitialiseAllocator();
  Adapter().watch_allocator();
  RunOp();
  RunOp();
  Adapter().take_allocator_state();
  EXPECT_THAT(ReadLog().reasons, ElementsAre("the allocator is cudaMallocAsync"));
  EXPECT_EQ(ReadLog().states, 0);
  EXPECT_FALSE(at::hasGlobalCallbacks());
}

TEST(AllocatorUncached, HasNoEvents) {
  Adapter().watch_allocator();
  InitialiseAllocator();
  RunOp();
  const Watch watch;
  Adapter().take_allocator_state();
  EXPECT_THAT(ReadLog().reasons, ElementsAre("PYTORCH_NO_CUDA_MEMORY_CACHING is set"));
  const c10::DataPtr block = Take(1000);
  EXPECT_THAT(caching::get()->snapshot().segments, IsEmpty());
}

// Of the same variable with another value releases think differently.
TEST(AllocatorCachedAfterAll, HasEventsOfWhatIsCached) {
  InitialiseAllocator();
  Adapter().watch_allocator();
  RunOp();
  EXPECT_EQ(ReadLog().states, 1);
  const c10::DataPtr block = Take(1000);
  EXPECT_EQ(ReadLog().CountOf(GRAPHTAP_ALLOC), caching::get()->snapshot().segments.size());
}

}  // namespace
}  // namespace graphtap::adapter_test
