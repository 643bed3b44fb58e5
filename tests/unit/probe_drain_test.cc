// The drain's thread, on a driver whose event query is held.
#include "interpose/probe/drain.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/unit/fake_recorder.h"

namespace graphtap::probe {
namespace {

using namespace std::chrono_literals;

// What the drain settles, from any thread.
class Settled : public record::FakeRecorder {
 public:
  using record::FakeRecorder::Append;
  using record::FakeRecorder::Count;
  void Append(const record::Replay& replay) noexcept override {
    const std::lock_guard lock(mutex_);
    replays_.emplace_back(replay.number.value_or(0), replay.lost);
  }
  void Count(Loss loss, std::uint64_t count) noexcept override {
    const std::lock_guard lock(mutex_);
    if (loss == Loss::undrained) undrained_ += count;
  }

  using Replays = std::vector<std::pair<std::uint64_t, std::optional<Loss>>>;
  Replays replays() const {
    const std::lock_guard lock(mutex_);
    return replays_;
  }
  std::uint64_t undrained() const {
    const std::lock_guard lock(mutex_);
    return undrained_;
  }

 private:
  mutable std::mutex mutex_;
  Replays replays_;
  std::uint64_t undrained_ = 0;
};

// One look is held until it is let go; no replay ever arrives.
struct Look {
  std::promise<void> begun, may_end;
  std::shared_future<void> let_go{may_end.get_future().share()};
  std::atomic<int> queries{0};
};
Look* g_look = nullptr;

CUresult HeldQuery(CUevent) {
  if (g_look->queries.fetch_add(1) == 0) g_look->begun.set_value();
  g_look->let_go.wait();
  return CUDA_ERROR_NOT_READY;
}

driver::Calls HoldingDriver() {
  driver::Calls calls;
  calls.context_current = [](CUcontext*) { return CUDA_SUCCESS; };
  calls.context_device = [](CUdevice*) { return CUDA_SUCCESS; };
  calls.context_push = [](CUcontext) { return CUDA_SUCCESS; };
  calls.context_pop = [](CUcontext*) { return CUDA_SUCCESS; };
  calls.device_attribute = [](int* value, CUdevice_attribute, CUdevice) {
    *value = 9;
    return CUDA_SUCCESS;
  };
  calls.module_load = [](CUmodule*, const void*) { return CUDA_SUCCESS; };
  calls.module_function = [](CUfunction*, CUmodule, const char*) { return CUDA_SUCCESS; };
  calls.stream_create = [](CUstream*, unsigned) { return CUDA_SUCCESS; };
  calls.host_allocate = [](void**, std::size_t, unsigned) { return CUDA_SUCCESS; };
  calls.event_query = HeldQuery;
  return calls;
}

class ProbeDrainTest : public testing::Test {
 protected:
  ProbeDrainTest() {
    g_look = &look_;
    auto recorder = std::make_unique<Settled>();
    settled_ = recorder.get();
    session_ = std::make_unique<session::Session>(Settings(), calls_, std::move(recorder));
    actions_ = std::make_unique<values::Actions>(*session_);
    drain_ = std::make_unique<Drain>(*session_, *actions_);
    CUresult error = CUDA_SUCCESS;
    device_ = Device::Make(*session_, &error);
    slots_ = std::make_shared<SlotSet>(*session_, *device_);
  }

  // Replay 5 is on its way, and the drain's thread is asking for it.
  void HoldTheLook() {
    slot_.replay.observed = std::make_shared<Observed>();
    slot_.replay.number = 5;
    ASSERT_TRUE(drain_->Start());
    drain_->Add({slots_, &slot_});
    look_.begun.get_future().wait();
  }

  // Runs `finish` beside the held look, which is then let go. Whether `finish` waited for that.
  template <typename Finish>
  bool WaitsForTheLook(Finish finish) {
    std::promise<void> called;
    auto finished = std::async(std::launch::async, [&] {
      called.set_value();
      finish();
    });
    called.get_future().wait();
    const bool early = finished.wait_for(50ms) == std::future_status::ready;
    look_.may_end.set_value();
    finished.wait();
    return !early;
  }

  Look look_;
  driver::Calls calls_ = HoldingDriver();
  Slot slot_;
  Settled* settled_ = nullptr;
  std::unique_ptr<session::Session> session_;
  std::unique_ptr<values::Actions> actions_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Drain> drain_;  // may have slots of the device to its end
  std::shared_ptr<SlotSet> slots_;
};

TEST_F(ProbeDrainTest, AtTheEndAReplayThatIsLookedAtIsMarkedAsLost) {
  HoldTheLook();
  EXPECT_TRUE(WaitsForTheLook([&] { drain_->Finish(nullptr, {}); }));
  EXPECT_EQ(settled_->replays(), (Settled::Replays{{5, Loss::undrained}}));
  EXPECT_EQ(settled_->undrained(), 1u);
  EXPECT_TRUE(drain_->Stop(std::chrono::steady_clock::now() + 1min));
}

TEST_F(ProbeDrainTest, AtTheEndOfAContextTheThreadIsThroughWithItsEvents) {
  HoldTheLook();
  EXPECT_TRUE(WaitsForTheLook([&] { drain_->Finish(device_.get(), {}); }));
  const int queries = look_.queries;
  EXPECT_EQ(settled_->replays(), (Settled::Replays{{5, Loss::undrained}}));
  EXPECT_TRUE(drain_->Stop(std::chrono::steady_clock::now() + 1min));
  EXPECT_EQ(look_.queries, queries);
}

TEST_F(ProbeDrainTest, WhatTheDriverNeverAnswersForIsCountedAndHoldsNobody) {
  HoldTheLook();
  drain_->Finish(nullptr, {});
  EXPECT_EQ(settled_->undrained(), 1u) << "the thread still has the replay itself";
  EXPECT_FALSE(drain_->Stop(std::chrono::steady_clock::now()));
  look_.may_end.set_value();
  EXPECT_TRUE(drain_->Stop(std::chrono::steady_clock::now() + 1min));
}

}  // namespace
}  // namespace graphtap::probe
