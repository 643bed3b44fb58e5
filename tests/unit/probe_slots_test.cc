// Slots of an executable, on a driver that only counts.
#include "interpose/probe/slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>

namespace graphtap::probe {
namespace {

constexpr std::chrono::milliseconds kNotAtAll{0};
constexpr std::chrono::minutes kLong{20};
constexpr std::uint64_t kSlotBytes = 512, kCellBytes = 256;

int g_events = 0, g_events_left = 0;
std::uint64_t g_next_address = 0;

CUresult CreateEvent(CUevent* event, unsigned) {
  if (g_events_left-- <= 0) return CUDA_ERROR_OUT_OF_MEMORY;
  ++g_events;
  *event = reinterpret_cast<CUevent>(&g_events);
  return CUDA_SUCCESS;
}

CUresult DestroyEvent(CUevent event) {
  g_events -= event == nullptr ? 0 : 1;
  return CUDA_SUCCESS;
}

CUresult Allocate(CUdeviceptr* address, std::size_t bytes) {
  *address = g_next_address;
  g_next_address += bytes;
  return CUDA_SUCCESS;
}

CUresult MemoryInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 40;
  return CUDA_SUCCESS;
}

CUresult StageMemory(void** memory, std::size_t, unsigned) {
  *memory = nullptr;
  return CUDA_SUCCESS;
}

CUresult Capability(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return CUDA_SUCCESS;
}

driver::Calls CountingDriver() {
  driver::Calls calls;
  calls.context_current = [](CUcontext*) { return CUDA_SUCCESS; };
  calls.context_device = [](CUdevice*) { return CUDA_SUCCESS; };
  calls.device_attribute = Capability;
  calls.module_load = [](CUmodule*, const void*) { return CUDA_SUCCESS; };
  calls.module_function = [](CUfunction*, CUmodule, const char*) { return CUDA_SUCCESS; };
  calls.stream_create = [](CUstream*, unsigned) { return CUDA_SUCCESS; };
  calls.host_allocate = StageMemory;
  calls.memory_allocate = Allocate;
  calls.memory_info = MemoryInfo;
  calls.event_create = CreateEvent;
  calls.event_destroy = DestroyEvent;
  return calls;
}

// A device with room for a cell and two slots of kSlotBytes.
class ProbeSlotsTest : public testing::Test {
 protected:
  ProbeSlotsTest() {
    g_events = 0;
    g_events_left = 1000;
    g_next_address = 0x7f0000000000;
    CUresult error = CUDA_SUCCESS;
    device_ = Device::Make(session_, &error);
    set_ = std::make_unique<SlotSet>(session_, *device_);
    set_->SetSlotBytes(kSlotBytes);
  }

  static Settings MakeSettings(std::uint64_t device_bytes) {
    Settings settings;
    settings.device_bytes = device_bytes;
    return settings;
  }

  // Whether the device has so much to give; what it gave is given back.
  bool HasRoom(std::uint64_t bytes) {
    const auto address = device_->Take(bytes);
    if (address) device_->Return(*address, bytes);
    return address.has_value();
  }

  // Puts a slot into flight.
  Slot* Launch() {
    Slot* slot = set_->Take(kNotAtAll);
    if (slot != nullptr) ++slot->launches;
    return slot;
  }

  driver::Calls calls_ = CountingDriver();
  session::Session session_{MakeSettings(2 * kSlotBytes + kCellBytes), calls_};
  std::unique_ptr<Device> device_;
  std::unique_ptr<SlotSet> set_;
};

TEST_F(ProbeSlotsTest, ASlotIsTakenOnceAndComesBack) {
  Slot* const first = Launch();
  Slot* const second = Launch();
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_NE(first, second);
  EXPECT_GE(std::max(first->address, second->address),
            std::min(first->address, second->address) + kSlotBytes);
  EXPECT_EQ(first->address % 16, 0u);
  EXPECT_NE(first->event, nullptr);
  EXPECT_EQ(first->arrivals, 0u);
  first->replay.observed = std::make_shared<Observed>();
  set_->Give(first);
  EXPECT_EQ(first->arrivals, 1u);
  EXPECT_EQ(first->replay.observed, nullptr);
  EXPECT_EQ(set_->Take(kNotAtAll), first);
  EXPECT_EQ(g_events, 2) << "a slot keeps its event";
}

TEST_F(ProbeSlotsTest, AfterThreeTimesInVainNobodyWaitsUntilOneIsGiven) {
  Slot* const first = Launch();
  Slot* const second = Launch();
  ASSERT_TRUE(set_->TakeCell());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(set_->Take(kNotAtAll), nullptr);
  std::thread early([&] { set_->Give(second); });
  EXPECT_EQ(set_->Take(kLong), second) << "the third time it still waits";
  early.join();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(set_->Take(kNotAtAll), nullptr);
  EXPECT_EQ(set_->Take(kLong), nullptr) << "at once, or the test takes for ever";
  set_->Give(first);
  EXPECT_EQ(set_->Take(kNotAtAll), first);
  std::thread late([&] { set_->Give(second); });
  EXPECT_EQ(set_->Take(kLong), second) << "now it waits again";
  late.join();
}

TEST_F(ProbeSlotsTest, PrepareMakesAsManyAsThereIsRoomFor) {
  EXPECT_TRUE(set_->TakeCell());
  EXPECT_TRUE(set_->Prepare(8));
  EXPECT_EQ(g_events, 3) << "the event of the third waits for memory";
  EXPECT_FALSE(HasRoom(1));
  EXPECT_TRUE(Launch() != nullptr && Launch() != nullptr);
  EXPECT_FALSE(set_->Prepare(8)) << "not even one is free";
}

TEST_F(ProbeSlotsTest, TheCellStaysWhereItIs) {
  EXPECT_EQ(set_->cell(), 0u);
  ASSERT_TRUE(set_->TakeCell());
  const std::uint64_t cell = set_->cell();
  EXPECT_NE(cell, 0u);
  EXPECT_TRUE(set_->TakeCell());
  EXPECT_EQ(set_->cell(), cell);
}

TEST_F(ProbeSlotsTest, WithoutRoomThereIsNoCell) {
  while (device_->Take(kCellBytes)) {
  }
  EXPECT_FALSE(set_->TakeCell());
  EXPECT_EQ(Launch(), nullptr);
}

TEST_F(ProbeSlotsTest, ClosedWithASlotInFlightItKeepsSlotAndCell) {
  ASSERT_TRUE(set_->TakeCell());
  ASSERT_TRUE(set_->Prepare(2));
  Slot* const slot = Launch();
  set_->Close();
  EXPECT_TRUE(HasRoom(kSlotBytes)) << "the free one is gone";
  const auto rest = device_->Take(kSlotBytes);
  EXPECT_FALSE(HasRoom(1)) << "what is in flight is not";
  set_->Give(slot);
  EXPECT_EQ(slot->address, 0u);
  EXPECT_TRUE(device_->Take(kSlotBytes) && device_->Take(kCellBytes));
  EXPECT_EQ(set_->cell(), 0u);
  device_->Return(*rest, kSlotBytes);
}

TEST_F(ProbeSlotsTest, ClosedWithNothingInFlightAllGoesAtOnce) {
  ASSERT_TRUE(set_->TakeCell());
  ASSERT_TRUE(set_->Prepare(2));
  set_->Close();
  EXPECT_TRUE(device_->Take(kSlotBytes) && device_->Take(kSlotBytes) && device_->Take(kCellBytes));
}

TEST_F(ProbeSlotsTest, ShrinkFreesWhatNobodyUses) {
  ASSERT_TRUE(set_->Prepare(2));
  Slot* const slot = Launch();
  const std::uint64_t address = slot->address;
  set_->Shrink();
  EXPECT_EQ(slot->address, address);
  EXPECT_TRUE(HasRoom(kSlotBytes));
  set_->Give(slot);
  EXPECT_EQ(Launch(), slot) << "it goes on as before";
}

TEST_F(ProbeSlotsTest, ALargerSlotTakesThePlaceOfASmallerOne) {
  set_->SetSlotBytes(kSlotBytes / 2);
  ASSERT_TRUE(set_->Prepare(2));
  Slot* const slot = Launch();
  set_->SetSlotBytes(kSlotBytes);
  EXPECT_EQ(slot->bytes, kSlotBytes / 2) << "it is in flight";
  set_->Give(slot);
  EXPECT_EQ(slot->address, 0u) << "too small for what comes";
  const Slot* const large = Launch();
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(large->bytes, kSlotBytes);
  EXPECT_EQ(g_events, 2) << "made of what was there";
}

TEST_F(ProbeSlotsTest, ASmallerNeedLeavesTheSlotsAsTheyAre) {
  ASSERT_TRUE(set_->Prepare(2));
  set_->SetSlotBytes(kSlotBytes / 2);
  EXPECT_EQ(Launch()->bytes, kSlotBytes);
}

TEST_F(ProbeSlotsTest, WithoutAnEventThereIsNoSlot) {
  g_events_left = 1;
  Slot* const slot = Launch();
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(Launch(), nullptr);
  g_events_left = 1;
  EXPECT_NE(Launch(), nullptr);
}

TEST_F(ProbeSlotsTest, ThereAreAtMostSixtyFour) {
  session::Session rich(MakeSettings(1u << 30), calls_);
  CUresult error = CUDA_SUCCESS;
  const auto device = Device::Make(rich, &error);
  SlotSet set(rich, *device);
  set.SetSlotBytes(kSlotBytes);
  std::set<std::uint64_t> addresses;
  for (int i = 0; i < 64; ++i) addresses.insert(set.Take(kNotAtAll)->address);
  EXPECT_EQ(addresses.size(), 64u);
  EXPECT_EQ(set.Take(kNotAtAll), nullptr);
}

TEST_F(ProbeSlotsTest, EventsEndWithTheSetUnlessTheirContextIsGone) {
  set_->Prepare(2);
  set_ = nullptr;
  EXPECT_EQ(g_events, 0);
  EXPECT_TRUE(HasRoom(kSlotBytes));
  set_ = std::make_unique<SlotSet>(session_, *device_);
  set_->Prepare(2);
  const int events = g_events;
  EXPECT_GT(events, 0);
  device_->SetDead();
  set_ = nullptr;
  EXPECT_EQ(g_events, events);
}

}  // namespace
}  // namespace graphtap::probe
