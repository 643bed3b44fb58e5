// Points as they stand in the file: when memory is looked at, of which devices, and what is
// counted.
#include "interpose/points/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "tests/unit/recorded_file.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap::points {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Where a process records is decided when it is loaded.
struct Place {
  Place() { setenv("GRAPHTAP_OUT", folder.path().c_str(), 1); }
  const TemporaryFolder folder;
};
[[gnu::init_priority(101)]] const Place g_place;
const std::string& Folder() { return g_place.folder.path(); }

// A driver of two devices: the context of device k is k + 1.
thread_local std::vector<std::uintptr_t> t_contexts;
int g_asked = 0;

driver::Calls TwoDevices() {
  driver::Calls calls;
  calls.device_count = [](int*) { return CUDA_ERROR_NO_DEVICE; };
  calls.driver_version = [](int*) { return CUDA_ERROR_NOT_INITIALIZED; };
  calls.context_current = [](CUcontext* context) {
    *context = t_contexts.empty() ? nullptr : reinterpret_cast<CUcontext>(t_contexts.back());
    return CUDA_SUCCESS;
  };
  calls.context_push = [](CUcontext context) {
    t_contexts.push_back(reinterpret_cast<std::uintptr_t>(context));
    return CUDA_SUCCESS;
  };
  calls.context_pop = [](CUcontext*) {
    t_contexts.pop_back();
    return CUDA_SUCCESS;
  };
  calls.context_device = [](CUdevice* device) {
    *device = static_cast<CUdevice>(t_contexts.back()) - 1;
    return CUDA_SUCCESS;
  };
  calls.memory_info = [](std::size_t* free_bytes, std::size_t* total_bytes) {
    ++g_asked;
    *free_bytes = 10 * t_contexts.back();
    *total_bytes = 100 * t_contexts.back();
    return CUDA_SUCCESS;
  };
  return calls;
}

class PointsTest : public testing::Test {
 protected:
  void Start(const std::string& text, bool with_allocator = true) {
    for (const auto& file : std::filesystem::directory_iterator(Folder())) {
      std::filesystem::remove(file);
    }
    t_contexts = {1};
    g_asked = 0;
    Settings settings;
    settings.host_bytes = 64 << 20;
    settings.log = LogLevel::quiet;
    std::string error;
    settings.points = *spec::ParsePoints(text, &error);
    session_ = std::make_unique<session::Session>(settings, calls_);
    ASSERT_TRUE(session_->Start({}));
    log_ = std::make_unique<blocks::AllocatorLog>(*session_);
    log_->SetTaker([this] { Tell(); });
    if (with_allocator) Tell();
    points_ = std::make_unique<Points>(*session_, *log_);
  }
  void Tell() {
    log_->OnState({sizeof(GraphtapAllocatorState), sizeof(GraphtapSegment), 0, nullptr});
  }

  // What the file has in the end.
  void Finish() {
    points_->OnExit(Points::State::kYes);
    EXPECT_TRUE(session_->recorder().Finish({}, std::chrono::seconds(60)));
    const auto file = ReadRecordedFile(OnlyFileIn(Folder()));
    for (const Entry& entry : file.Entries(FrameKind::kRecords)) {
      if (entry.has_point()) labels_.push_back(entry.point().label());
      if (entry.has_point()) rows_.push_back(entry.point());
      if (entry.has_device_memory()) memory_.push_back(entry.device_memory());
      if (entry.allocator_state().has_point()) states_.push_back(entry.allocator_state().label());
      if (entry.has_loss()) losses_[entry.loss().cause()] = entry.loss().count();
    }
  }
  std::uint64_t Lost(Loss loss) { return losses_[static_cast<std::uint32_t>(loss)]; }

  const driver::Calls calls_ = TwoDevices();
  std::unique_ptr<session::Session> session_;
  std::unique_ptr<blocks::AllocatorLog> log_;
  std::unique_ptr<Points> points_;
  std::vector<std::string> labels_, states_;
  std::vector<graphtap::Point> rows_;
  std::vector<graphtap::DeviceMemory> memory_;
  std::map<std::uint32_t, std::uint64_t> losses_;
};

TEST_F(PointsTest, EachMomentThatIsWantedIsOneAndNoOther) {
  Start("nvtx:a*;instantiate;replay:2;exit");
  points_->OnMark("a");
  points_->OnMark("b");
  const auto time = points_->OnRangeBegin("a");
  EXPECT_EQ(points_->OnRangeBegin("b"), 0u);
  points_->OnRangeEnd("b", 0);
  points_->OnRangeEnd("a", time);
  EXPECT_EQ(points_->OnCapture("capture:0:begin", record::PointEdge::kBegin), std::nullopt);
  points_->OnInstantiate(7);
  EXPECT_FALSE(points_->IsDue(1));
  EXPECT_TRUE(points_->IsDue(2));
  points_->OnReplay(7, 2);
  points_->OnOutOfMemory("cuMemAlloc", 5);
  points_->OnFrameworkOutOfMemory(5);
  Finish();
  EXPECT_THAT(labels_, ElementsAre("nvtx:a", "nvtx:a#2:begin", "nvtx:a#2:end", "instantiate:x7",
                                   "replay:x7@2", "exit"));
  EXPECT_EQ(states_, labels_) << "and each has the allocator's state";
  EXPECT_EQ(memory_.size(), labels_.size());
  EXPECT_EQ(rows_.at(1).edge(), graphtap::Point::EDGE_BEGIN);
  EXPECT_EQ(rows_.at(2).edge(), graphtap::Point::EDGE_END);
  EXPECT_TRUE(rows_.at(4).has_thread());
  EXPECT_FALSE(rows_.at(5).has_thread());
  EXPECT_THAT(losses_, IsEmpty());
}

TEST_F(PointsTest, WithoutPointsNothingIsAsked) {
  Start("none");
  points_->OnMark("a");
  points_->OnInstantiate(7);
  points_->OnOutOfMemory("cuMemAlloc", 5);
  points_->NoteContext();
  EXPECT_FALSE(points_->IsDue(1));
  Finish();
  EXPECT_THAT(labels_, IsEmpty());
  EXPECT_EQ(g_asked, 0);
}

TEST_F(PointsTest, EachDeviceThatTheJobUsesIsLookedAtAndNoneThatItLeft) {
  Start("nvtx:*", false);
  points_->OnMark("one");
  t_contexts = {2};
  points_->NoteContext();
  t_contexts = {1};
  points_->OnMark("both");
  points_->contexts().Forget(reinterpret_cast<CUcontext>(2));
  points_->OnMark("first");
  t_contexts = {2};
  points_->contexts().ForgetDevice(0);
  points_->OnMark("second");
  EXPECT_THAT(t_contexts, ElementsAre(2)) << "what was current still is";
  Finish();
  ASSERT_EQ(memory_.size(), 5u);
  for (const auto& [row, point, device] :
       {std::tuple{0u, 0u, 0u}, {1, 1, 0}, {2, 1, 1}, {3, 2, 0}, {4, 3, 1}}) {
    EXPECT_EQ(memory_[row].point(), point);
    EXPECT_EQ(memory_[row].device(), device);
    EXPECT_EQ(memory_[row].free_bytes(), 10 * (device + 1));
    EXPECT_EQ(memory_[row].total_bytes(), 100 * (device + 1));
  }
  EXPECT_THAT(states_, IsEmpty()) << "there is no allocator";
}

TEST_F(PointsTest, AThreadWithoutAContextAsksNothing) {
  Start("nvtx:*");
  points_->OnMark("before");
  t_contexts.clear();
  points_->OnMark("host");
  Finish();
  EXPECT_THAT(labels_, ElementsAre("nvtx:before", "nvtx:host"));
  EXPECT_THAT(states_, ElementsAre("nvtx:before"));
  EXPECT_EQ(memory_.size(), 1u);
  EXPECT_THAT(losses_, IsEmpty());
}

TEST_F(PointsTest, AnAllocationThatFailsSaysWhatWasAskedFor) {
  Start("oom");
  const auto call = session_->recorder().Intern("cuMemAlloc");
  points_->OnOutOfMemory("cuMemAlloc", 5);
  points_->OnFrameworkOutOfMemory(6);
  Finish();
  EXPECT_THAT(labels_, ElementsAre("oom:0", "oom:1"));
  EXPECT_THAT(states_, testing::UnorderedElementsAre("oom:0", "oom:1"));
  EXPECT_EQ(rows_.at(0).call(), static_cast<std::uint32_t>(call));
  EXPECT_EQ(rows_.at(0).bytes(), 5u);
  EXPECT_NE(rows_.at(1).call(), rows_.at(0).call());
  EXPECT_EQ(rows_.at(1).bytes(), 6u);
}

// The allocator's lock is held where its call fails: the state must be asked for elsewhere.
TEST_F(PointsTest, AfterACallThatFailsAnotherThreadAsksTheAllocator) {
  Start("oom");
  std::thread::id asker;
  log_->SetTaker([&] {
    asker = std::this_thread::get_id();
    Tell();
  });
  points_->OnOutOfMemory("cuMemAlloc", 5);
  Finish();
  EXPECT_NE(asker, std::thread::id());
  EXPECT_NE(asker, std::this_thread::get_id());
}

TEST_F(PointsTest, SignalsAreTakenAtTheNextFlushOrTheEnd) {
  Start("signal;exit");
  points_->OnSignal();
  points_->BeforeFlush();
  points_->OnSignal();
  Finish();
  EXPECT_THAT(labels_, ElementsAre("signal:0", "signal:1", "exit"));
  EXPECT_EQ(states_, labels_);
  EXPECT_FALSE(rows_.at(0).has_thread());
}

TEST_F(PointsTest, WhatComesTooFastIsCountedAndAnotherKindIsNotHeldUp) {
  Start("nvtx:*;instantiate");
  constexpr std::uint32_t kMarks = 3 * Points::kPointsPerSecond;
  const std::uint64_t begin = session::Now();
  for (std::uint32_t i = 0; i < kMarks; ++i) points_->OnMark("a");
  points_->OnInstantiate(0);
  const double seconds = static_cast<double>(session::Now() - begin) * 1e-9;
  Finish();
  const std::uint64_t marks = labels_.size() - 1;
  EXPECT_EQ(marks + Lost(Loss::point_lost), kMarks);
  EXPECT_GE(marks, Points::kPointsPerSecond);
  EXPECT_LE(static_cast<double>(marks), Points::kPointsPerSecond * (1 + seconds) + 1);
  EXPECT_LE(static_cast<double>(memory_.size()), Points::kLooksPerSecond * (1 + seconds) + 2);
  EXPECT_LE(static_cast<double>(states_.size()), Points::kStatesPerSecond * (1 + seconds) + 2);
  EXPECT_GE(memory_.size(), Points::kLooksPerSecond);
  EXPECT_GE(states_.size(), Points::kStatesPerSecond);
  EXPECT_EQ(states_.back(), "instantiate:x0");
  EXPECT_EQ(Lost(Loss::point_bare) + states_.size(), labels_.size());
  EXPECT_TRUE(rows_.at(Points::kPointsPerSecond / 2).state_skipped());
}

TEST_F(PointsTest, CapturesAreTakenHoweverFastTheyCome) {
  Start("capture");
  constexpr std::uint32_t kEdges = 3 * Points::kPointsPerSecond;
  for (std::uint32_t i = 0; i < kEdges; ++i) {
    EXPECT_EQ(points_->OnCapture("capture", record::PointEdge::kEnd), i);
  }
  Finish();
  EXPECT_EQ(labels_.size(), kEdges);
  EXPECT_EQ(memory_.size(), kEdges);
  EXPECT_THAT(states_, IsEmpty()) << "the caller takes them";
  EXPECT_THAT(losses_, IsEmpty());
}

}  // namespace
}  // namespace graphtap::points
