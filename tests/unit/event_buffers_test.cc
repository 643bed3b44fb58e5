// The buffers in which events of the allocator wait: nothing is lost or out of order, and a buffer
// that was written is used again.
#include "interpose/blocks/event_buffers.h"

#include <gtest/gtest.h>

namespace graphtap::blocks {
namespace {

using Added = EventBuffers::Added;
using Which = EventBuffers::Which;

class EventBuffersTest : public testing::Test {
 protected:
  // Buffers of `kMostInBuffer` events for so many of them.
  void Start(std::size_t buffers) {
    buffers_.emplace(buffers * EventBuffers::kMostInBuffer * sizeof(WaitingEvent));
  }
  Added Add(std::uint64_t stream = 0) {
    const GraphtapAllocatorEvent event{sizeof(event),
                                       GRAPHTAP_ALLOC,
                                       3,
                                       1000 + next_,
                                       2000 + next_,
                                       reinterpret_cast<void*>(stream),
                                       {stream + 1, stream + 2}};
    Circumstances when{next_, 3000 + next_, record::ThreadId{4}, {}, {}};
    if (next_ % 2 == 0) when.stack = record::StackId{6};
    if (next_ % 2 == 1) when.op = record::StringId{5};
    ++next_;
    return buffers_->Add(event, when);
  }
  void Fill() {
    for (std::size_t i = 0; i < EventBuffers::kMostInBuffer; ++i) Add();
  }
  // Numbers of all events that are taken.
  std::vector<std::uint64_t> Numbers(Which which) {
    std::vector<std::uint64_t> numbers;
    for (const EventBuffer& buffer : buffers_->Take(which)) {
      for (std::size_t i = 0; i < buffer.events.size(); ++i) {
        numbers.push_back(buffer.At(i).number);
        EXPECT_EQ(buffer.At(i).address, 1000 + numbers.back());
      }
    }
    return numbers;
  }

  std::optional<EventBuffers> buffers_;
  std::uint64_t next_ = 0;
};

TEST_F(EventBuffersTest, AnEventComesOutAsItWentIn) {
  Start(4);
  Add();
  Add(6);
  const auto taken = buffers_->Take(Which::kAll);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_FALSE(taken[0].At(0).op);
  EXPECT_EQ(taken[0].At(0).stack, record::StackId{6});
  EXPECT_FALSE(taken[0].At(1).stack);
  const auto event = taken[0].At(1);
  EXPECT_EQ(event.number, 1u);
  EXPECT_EQ(event.action, record::AllocatorAction::kAlloc);
  EXPECT_EQ(event.device, 3u);
  EXPECT_EQ(event.address, 1001u);
  EXPECT_EQ(event.bytes, 2001u);
  EXPECT_EQ(event.stream, 6u);
  EXPECT_EQ(event.pool.first, 7u);
  EXPECT_EQ(event.pool.second, 8u);
  EXPECT_EQ(event.thread, record::ThreadId{4});
  EXPECT_EQ(event.time_ns, 3001u);
  EXPECT_EQ(event.op, record::StringId{5});
}

TEST_F(EventBuffersTest, TheFirstEventOfTheNextBufferSaysThatOneIsFull) {
  Start(4);
  Fill();
  EXPECT_TRUE(buffers_->Take(Which::kFull).empty()) << "nobody was told yet";
  EXPECT_EQ(Add(), Added::kIntoNext);
  EXPECT_EQ(Add(), Added::kYes);
  EXPECT_EQ(Numbers(Which::kFull).size(), EventBuffers::kMostInBuffer);
  EXPECT_EQ(Numbers(Which::kAll), (std::vector<std::uint64_t>{EventBuffers::kMostInBuffer,
                                                              EventBuffers::kMostInBuffer + 1}));
  EXPECT_TRUE(buffers_->Take(Which::kAll).empty());
}

TEST_F(EventBuffersTest, WithoutRoomAnEventIsRefusedAndItsNumberIsLeftOut) {
  Start(2);
  Fill();
  Fill();
  EXPECT_EQ(Add(), Added::kNo);
  EXPECT_EQ(Numbers(Which::kFull).size(), EventBuffers::kMostInBuffer);
  EXPECT_EQ(Add(), Added::kIntoNext);
  const auto numbers = Numbers(Which::kAll);
  ASSERT_EQ(numbers.size(), EventBuffers::kMostInBuffer + 1);
  EXPECT_EQ(numbers[EventBuffers::kMostInBuffer - 1], 2 * EventBuffers::kMostInBuffer - 1);
  EXPECT_EQ(numbers.back(), 2 * EventBuffers::kMostInBuffer + 1);
}

// The buffer has room for events, but not for their places.
TEST_F(EventBuffersTest, BehindARefusedPlaceEventsKeepTheirNumbers) {
  Start(2);
  constexpr std::uint64_t kPlaces = EventBuffers::kMostPlaces;
  for (std::uint64_t stream = 0; stream < 2 * kPlaces; ++stream) Add(stream);
  EXPECT_EQ(Add(2 * kPlaces), Added::kNo);
  EXPECT_EQ(Add(kPlaces), Added::kNo) << "a place that the buffer has";
  EXPECT_EQ(Numbers(Which::kFull).size(), kPlaces);
  EXPECT_EQ(Add(kPlaces), Added::kIntoNext);
  const auto numbers = Numbers(Which::kAll);
  ASSERT_EQ(numbers.size(), kPlaces + 1);
  EXPECT_EQ(numbers[kPlaces - 1], 2 * kPlaces - 1);
  EXPECT_EQ(numbers.back(), 2 * kPlaces + 2);
}

TEST_F(EventBuffersTest, ABufferThatWasWrittenIsUsedAgain) {
  Start(4);
  Fill();
  auto taken = buffers_->Take(Which::kAll);
  const auto* memory = taken.at(0).events.data();
  buffers_->GiveBack(std::move(taken[0]));
  Fill();
  Add();
  taken = buffers_->Take(Which::kAll);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[1].events.data(), memory);
  EXPECT_EQ(taken[1].At(0).number, 2 * EventBuffers::kMostInBuffer);
}

TEST_F(EventBuffersTest, MorePlacesThanABufferNamesGoOnInTheNext) {
  Start(4);
  constexpr std::uint64_t kPlaces = 2 * EventBuffers::kMostPlaces;
  for (std::uint64_t stream = 0; stream < kPlaces; ++stream) {
    EXPECT_EQ(Add(stream), stream == kPlaces / 2 ? Added::kIntoNext : Added::kYes);
  }
  Add(kPlaces - 2);
  const auto taken = buffers_->Take(Which::kAll);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].At(5).stream, 5u);
  EXPECT_EQ(taken[1].At(0).stream, kPlaces / 2);
  EXPECT_EQ(taken[1].events.size(), kPlaces / 2 + 1);
  EXPECT_EQ(taken[1].At(kPlaces / 2).stream, kPlaces - 2);
}

}  // namespace
}  // namespace graphtap::blocks
