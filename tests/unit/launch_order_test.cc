// Which launches of an executable may be probed, and what they wait for.
#include "interpose/shadow/launch_order.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace graphtap::shadow {
namespace {

constexpr std::chrono::milliseconds kNotAtAll{0};
constexpr std::chrono::minutes kLong{5};
constexpr record::StreamId kFirst{1}, kSecond{2};

class LaunchOrderTest : public testing::Test {
 protected:
  LaunchOrder::Entry Enter(record::StreamId stream, bool due) {
    return order_.Enter(stream, kNotAtAll, [due] { return due; });
  }

  // A launch that is due, and becomes a probed one with its slot's event behind it.
  LaunchOrder::Entry Probe(record::StreamId stream) {
    const auto entry = Enter(stream, true);
    EXPECT_TRUE(entry.probed);
    EXPECT_TRUE(order_.Commit());
    Leave(stream, entry);
    return entry;
  }

  void Leave(record::StreamId stream, const LaunchOrder::Entry& entry) {
    slot_.launches.fetch_add(1);
    order_.Leave(stream, entry.serial, event_, &slot_);
  }

  // A launch of the job's executable from beginning to end.
  LaunchOrder::Entry Plain(record::StreamId stream, bool due, CUevent event = nullptr) {
    const auto entry = Enter(stream, due);
    EXPECT_FALSE(entry.probed);
    order_.Leave(stream, entry.serial, event, nullptr);
    return entry;
  }

  int memory_[2] = {};
  const CUevent event_ = reinterpret_cast<CUevent>(&memory_[0]);
  const CUevent plain_event_ = reinterpret_cast<CUevent>(&memory_[1]);
  probe::Slot slot_;
  LaunchOrder order_;
};

TEST_F(LaunchOrderTest, OneStreamOrdersItself) {
  EXPECT_EQ(Probe(kFirst).wait, nullptr);
  EXPECT_EQ(Probe(kFirst).wait, nullptr);
  EXPECT_EQ(Plain(kFirst, false).wait, nullptr);
  EXPECT_EQ(Probe(kFirst).wait, nullptr);
  EXPECT_FALSE(order_.WantsEvent());
}

TEST_F(LaunchOrderTest, AnotherStreamWaitsForAProbedLaunch) {
  Probe(kFirst);
  EXPECT_EQ(Probe(kSecond).wait, event_);
  const auto plain = Plain(kFirst, false);
  EXPECT_EQ(plain.wait, event_) << "the driver does not know that the two are one";
  EXPECT_FALSE(plain.lost);
}

TEST_F(LaunchOrderTest, NobodyWaitsForWhatHasArrived) {
  Probe(kFirst);
  slot_.arrivals = 1;
  EXPECT_EQ(Probe(kSecond).wait, nullptr);
  slot_.arrivals = 2;
  slot_.launches = 3;  // the slot is in use again, by another launch
  EXPECT_EQ(Plain(kFirst, false).wait, nullptr);
}

TEST_F(LaunchOrderTest, AfterAPlainLaunchOnAnotherStreamOneIsLost) {
  Plain(kFirst, false);
  EXPECT_FALSE(order_.WantsEvent());
  const auto lost = Plain(kSecond, true);
  EXPECT_EQ(lost.lost, Loss::stream_changed);
  EXPECT_EQ(lost.wait, nullptr);
  EXPECT_TRUE(order_.WantsEvent()) << "it has been launched on two streams";
  EXPECT_FALSE(Plain(kSecond, false, plain_event_).lost) << "a launch that is not due is no loss";
  EXPECT_EQ(Probe(kFirst).wait, plain_event_);
}

TEST_F(LaunchOrderTest, PlainLaunchesAreOrderedByTheDriver) {
  Plain(kFirst, false);
  Plain(kSecond, false, plain_event_);
  EXPECT_EQ(Plain(kFirst, false, plain_event_).wait, nullptr);
}

TEST_F(LaunchOrderTest, WhatIsOnItsWayIsNotOvertakenByAProbe) {
  const auto first = Enter(kFirst, false);
  const auto second = Enter(kFirst, true);
  EXPECT_EQ(second.lost, Loss::launch_overlap);
  order_.Leave(kFirst, first.serial, nullptr, nullptr);
  order_.Leave(kFirst, second.serial, nullptr, nullptr);
  EXPECT_EQ(Plain(kFirst, true).lost, Loss::launch_overlap) << "either may have come last";
  EXPECT_EQ(Probe(kFirst).wait, nullptr);
}

TEST_F(LaunchOrderTest, WhereItIsNotKnownWhichCameLastOneIsLost) {
  const auto first = Enter(kFirst, false);
  const auto second = Enter(kSecond, false);
  order_.Leave(kSecond, second.serial, plain_event_, nullptr);
  EXPECT_EQ(Enter(kFirst, true).lost, Loss::launch_overlap) << "the first is still on its way";
  order_.Fail(false);
  order_.Leave(kFirst, first.serial, plain_event_, nullptr);
  EXPECT_EQ(Plain(kFirst, true).lost, Loss::launch_overlap) << "the first may have come after all";
  EXPECT_EQ(Probe(kFirst).wait, nullptr) << "the lost one came last, and alone";
}

TEST_F(LaunchOrderTest, AProbedLaunchThatTakesTooLongIsOvertaken) {
  const auto probed = Enter(kFirst, true);
  ASSERT_TRUE(probed.probed);
  const auto other = Enter(kSecond, true);
  EXPECT_EQ(other.lost, Loss::launch_overlap);
  EXPECT_EQ(Enter(kSecond, false).lost, std::nullopt);
  EXPECT_FALSE(order_.Commit()) << "another went before it";
  order_.Downgrade();
  order_.Fail(false);
  order_.Leave(kSecond, other.serial, nullptr, nullptr);
  order_.Leave(kFirst, probed.serial, nullptr, nullptr);
  EXPECT_EQ(Plain(kFirst, true).lost, Loss::launch_overlap) << "they overlapped";
  Probe(kFirst);
}

TEST_F(LaunchOrderTest, AProbedLaunchMayBecomeAPlainOne) {
  const auto entry = Enter(kFirst, true);
  ASSERT_TRUE(entry.probed);
  order_.Downgrade();
  EXPECT_EQ(Enter(kFirst, true).lost, Loss::launch_overlap) << "it is still on its way";
  order_.Fail(false);
  order_.Leave(kFirst, entry.serial, nullptr, nullptr);
  EXPECT_EQ(Plain(kFirst, true).lost, Loss::launch_overlap);
  Probe(kFirst);
}

TEST_F(LaunchOrderTest, AfterACommittedLaunchIsRefusedItMayGoPlain) {
  Probe(kFirst);
  const auto entry = Enter(kSecond, true);
  ASSERT_TRUE(order_.Commit());
  EXPECT_EQ(entry.wait, event_);
  order_.Downgrade();
  order_.Leave(kSecond, entry.serial, plain_event_, nullptr);
  EXPECT_EQ(Probe(kFirst).wait, plain_event_);
}

TEST_F(LaunchOrderTest, AFailedLaunchLeavesTheLastAsItWas) {
  Probe(kFirst);
  EXPECT_FALSE(Enter(kSecond, false).probed);
  order_.Fail(false);
  EXPECT_TRUE(Enter(kSecond, true).probed);
  order_.Fail(true);
  EXPECT_EQ(Probe(kFirst).wait, nullptr);
  EXPECT_EQ(Probe(kSecond).wait, event_);
}

TEST_F(LaunchOrderTest, OthersWaitForAProbedLaunchOnItsWay) {
  for (int i = 0; i < 50; ++i) {
    const auto probed = order_.Enter(kFirst, kLong, [] { return true; });
    ASSERT_TRUE(probed.probed);
    std::atomic<bool> there = false, left = false;
    std::thread other([&] {
      there = true;
      there.notify_one();
      const auto entry = order_.Enter(kSecond, kLong, [&] {
        EXPECT_TRUE(left) << "what is due is asked for after the wait";
        return true;
      });
      EXPECT_TRUE(entry.probed);
      EXPECT_EQ(entry.wait, event_);
      order_.Downgrade();
      order_.Leave(kSecond, entry.serial, plain_event_, nullptr);
    });
    there.wait(false);
    EXPECT_TRUE(order_.Commit()) << "nobody overtakes it before its time is over";
    left = true;
    Leave(kFirst, probed);
    other.join();
  }
}

// Between Commit and Leave no other launch gets in, and each that was due is probed or lost.
TEST_F(LaunchOrderTest, NothingRunsBesideAProbedLaunch) {
  constexpr unsigned kThreads = 8, kLaunches = 400;
  std::atomic<unsigned> inside = 0, probed = 0, lost = 0;
  std::atomic<bool> committed = false;
  const auto launch = [&](record::StreamId stream, bool due) {
    const auto entry = order_.Enter(stream, kNotAtAll, [due] { return due; });
    EXPECT_FALSE(committed);
    const bool goes = entry.probed && order_.Commit();
    if (entry.probed && !goes) order_.Downgrade();
    inside += 1;
    if (goes) {
      committed = true;
      EXPECT_EQ(inside, 1u);
      std::this_thread::yield();
      committed = false;
      slot_.launches.fetch_add(1);
    }
    inside -= 1;
    order_.Leave(stream, entry.serial, event_, goes ? &slot_ : nullptr);
    (goes ? probed : lost) += due ? 1 : 0;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (unsigned k = 0; k < kLaunches; ++k) launch(record::StreamId{i % 3}, (k + i) % 2 == 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(probed + lost, kThreads * kLaunches / 2);
  EXPECT_GT(probed, 0u);
  Plain(kFirst, false);
  Probe(kFirst);  // nobody is left on the way
}

}  // namespace
}  // namespace graphtap::shadow
