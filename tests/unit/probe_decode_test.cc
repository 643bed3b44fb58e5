// From the bytes of a slot to observations.
#include "interpose/probe/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/unit/fake_recorder.h"

namespace graphtap::probe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Vectors of the digest: lane sum and hash of the byte "a".
constexpr std::uint64_t kSumOfA = 0x4ae8d61f9c99c83b, kHashOfA = 0x350fab2ef958e42d;

constexpr std::uint64_t kStamp = 41, kNumber = 42;
constexpr std::uint32_t kExecutable = 7;

class ProbeDecodeTest : public testing::Test {
 protected:
  template <typename Value>
  void Write(std::uint64_t offset, const Value& value) {
    if (slot_.size() < offset + sizeof value) slot_.resize(offset + sizeof value);
    std::memcpy(slot_.data() + offset, &value, sizeof value);
  }

  // A site of `bytes` that lies in the slot as `laid` says.
  PlannedSite& AddSite(std::uint64_t bytes, SiteLayout laid) {
    observed_->sites.push_back(record::SiteId{100 + static_cast<std::uint32_t>(sites().size())});
    observed_->layout.sites.push_back(laid);
    sites().emplace_back().bytes = bytes;
    return sites().back();
  }
  std::vector<PlannedSite>& sites() { return observed_->plan.sites; }

  std::span<const std::byte> Read(std::uint64_t offset, std::uint64_t bytes) {
    EXPECT_LE(bytes, kStagingBytes);
    EXPECT_LE(offset + bytes, slot_.size());
    if (reads_left_-- == 0) return {};
    staging_.assign(slot_.begin() + static_cast<std::ptrdiff_t>(offset),
                    slot_.begin() + static_cast<std::ptrdiff_t>(offset + bytes));
    return staging_;
  }

  Decoded Run() {
    Replay replay;
    replay.observed = observed_;
    replay.number = kNumber;
    replay.stamp = kStamp;
    return Decode(
        replay, [this](std::uint64_t offset, std::uint64_t bytes) { return Read(offset, bytes); },
        recorder_, actions_);
  }

  void SetUp() override {
    observed_->executable = kExecutable;
    observed_->layout.places = {{0, ProbeKernel::kHash}, {1, ProbeKernel::kDigest}};
    Write(0, SlotHeader{kStamp, kExecutable});
  }

  std::shared_ptr<Observed> observed_ = std::make_shared<Observed>();
  std::vector<std::byte> slot_, staging_;
  int reads_left_ = 1'000'000;
  record::FakeRecorder recorder_;
  const driver::Calls calls_{};
  session::Session session_{Settings(), calls_};
  values::Actions actions_{session_};
};

TEST_F(ProbeDecodeTest, AHashIsTheSumOfItsBlocksFinished) {
  AddSite(1, {0, 2, 4096, 16, 0}).hash = true;
  Record first{}, second{};
  first.hash = kSumOfA + 1000;
  second.hash = std::uint64_t{0} - 1000;
  Write(16, first);
  Write(64, second);
  ASSERT_EQ(Run(), Decoded::kDone);
  ASSERT_EQ(recorder_.observations.size(), 1u);
  const auto& observation = recorder_.observations[0];
  EXPECT_EQ(observation.site, record::SiteId{100});
  EXPECT_EQ(observation.replay, kNumber);
  EXPECT_EQ(observation.hash, kHashOfA);
  EXPECT_FALSE(observation.statistics);
  EXPECT_FALSE(observation.payload);
}

// One block that has seen 1, 2, 3, a NaN, one infinity above and two below, in float32.
Record OneTwoThree() {
  Record record{};
  record.sum = 6;
  record.squares = 14;
  record.max_key = 0xC0400000;    // 3 is 0x40400000; positive numbers get the highest bit
  record.min_key = ~0xBF800000u;  // 1 is 0x3F800000
  record.nan = 1;
  record.positive_infinity = 1;
  record.negative_infinity = 2;
  return record;
}

TEST_F(ProbeDecodeTest, WhatDidNotRunIsNotObserved) {
  observed_->layout.stamps = 2;
  Write(StampAt(0), Word{0});
  Write(StampAt(1), Word{1});
  Record record{};
  record.hash = kSumOfA;
  Write(32, record);
  AddSite(1, {0, 1, 4096, 32, 0}).hash = true;
  AddSite(1, {1, 1, 4096, 32, 0}).hash = true;
  ASSERT_EQ(Run(), Decoded::kDone);
  ASSERT_EQ(recorder_.observations.size(), 1u);
  EXPECT_EQ(recorder_.observations[0].site, record::SiteId{101});
  EXPECT_EQ(recorder_.observations[0].hash, kHashOfA);
}

TEST_F(ProbeDecodeTest, ADigestHasTheStatisticsOfItsRecords) {
  auto& site = AddSite(28, {1, 1, 4096, 16, 0});
  site.digest = true;
  site.dtype = Dtype::kFloat32;
  Write(16, OneTwoThree());
  ASSERT_EQ(Run(), Decoded::kDone);
  ASSERT_EQ(recorder_.observations.size(), 1u);
  ASSERT_TRUE(recorder_.observations[0].statistics);
  const auto& statistics = *recorder_.observations[0].statistics;
  EXPECT_EQ(statistics.elements, 7u);
  EXPECT_EQ(statistics.finite, 3u);
  EXPECT_EQ(statistics.nan, 1u);
  EXPECT_EQ(statistics.positive_infinity, 1u);
  EXPECT_EQ(statistics.negative_infinity, 2u);
  EXPECT_EQ(statistics.zero, 0u);
  EXPECT_EQ(statistics.minimum, 1.0);
  EXPECT_EQ(statistics.maximum, 3.0);
  EXPECT_EQ(statistics.mean, 2.0);
  EXPECT_DOUBLE_EQ(*statistics.deviation, std::sqrt(2.0 / 3));
  EXPECT_DOUBLE_EQ(*statistics.l2, std::sqrt(14.0));
}

TEST_F(ProbeDecodeTest, WithoutFiniteElementsThereIsNothingToSayOfThem) {
  auto& site = AddSite(4, {1, 1, 4096, 16, 0});
  site.digest = true;
  site.dtype = Dtype::kBfloat16;
  Record record{};
  record.nan = 2;
  Write(16, record);
  ASSERT_EQ(Run(), Decoded::kDone);
  const auto& statistics = *recorder_.observations.at(0).statistics;
  EXPECT_EQ(statistics.elements, 2u);
  EXPECT_EQ(statistics.finite, 0u);
  EXPECT_FALSE(statistics.minimum || statistics.maximum || statistics.mean ||
               statistics.deviation || statistics.l2);
}

TEST_F(ProbeDecodeTest, StatisticsNeedTheirKernelATypeAndADigest) {
  const auto add = [this](std::uint32_t place, Dtype dtype, bool digest) {
    auto& site = AddSite(28, {place, 1, 4096, 16, 0});
    site.dtype = dtype;
    (digest ? site.digest : site.hash) = true;
  };
  add(1, Dtype::kFloat32, true);
  add(0, Dtype::kFloat32, true);
  add(1, Dtype::kFloat32, false);
  add(1, Dtype::kInt32, true);
  add(1, Dtype::kUnknown, true);
  Write(16, OneTwoThree());
  ASSERT_EQ(Run(), Decoded::kDone);
  std::vector<bool> have;
  for (const auto& observation : recorder_.observations) {
    EXPECT_TRUE(observation.hash);
    have.push_back(observation.statistics.has_value());
  }
  EXPECT_THAT(have, ElementsAre(true, false, false, false, false));
}

TEST_F(ProbeDecodeTest, RecordsOfManyBlocksAreReadInPieces) {
  // 1,440,000 bytes: a piece ends inside a record.
  constexpr std::uint32_t kBlocks = 30'000;
  AddSite(1, {0, kBlocks, 4096, 16, 0}).hash = true;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < kBlocks; ++i) {
    Record record{};
    record.hash = i + 1 < kBlocks ? i * 0x9E3779B97F4A7C15 : kSumOfA - sum;
    sum += record.hash;
    Write(16 + i * sizeof record, record);
  }
  ASSERT_EQ(Run(), Decoded::kDone);
  EXPECT_EQ(recorder_.observations.at(0).hash, kHashOfA);
}

TEST_F(ProbeDecodeTest, LargeCopiesComeInPieces) {
  constexpr std::uint64_t kBytes = (5u << 19) + 3;  // 2.5 MiB and a little
  AddSite(kBytes, {0, 1, 131072, 0, 32}).copy_bytes = kBytes;
  slot_.resize(32 + kBytes);
  for (std::uint64_t i = 0; i < kBytes; ++i) slot_[32 + i] = static_cast<std::byte>(i * i % 251);
  ASSERT_EQ(Run(), Decoded::kDone);
  const auto& observation = recorder_.observations.at(0);
  EXPECT_FALSE(observation.hash);
  EXPECT_EQ(observation.payload_bytes, kBytes);
  ASSERT_TRUE(observation.payload);
  std::vector<std::uint64_t> offsets;
  std::vector<std::byte> all;
  for (const auto& piece : recorder_.payloads.at(*observation.payload)) {
    offsets.push_back(piece.offset);
    all.insert(all.end(), piece.bytes.begin(), piece.bytes.end());
  }
  EXPECT_THAT(offsets, ElementsAre(0u, 1u << 20, 2u << 20));
  EXPECT_TRUE(std::equal(all.begin(), all.end(), slot_.begin() + 32, slot_.end()));
}

TEST_F(ProbeDecodeTest, EachSiteHasItsOwnValues) {
  auto& both = AddSite(1, {0, 1, 4096, 16, 64});
  both.hash = true;
  both.copy_bytes = 1;
  AddSite(8, {0, 1, 4096, 0, 80}).copy_bytes = 2;
  Record record{};
  record.hash = kSumOfA;
  Write(16, record);
  Write(64, 'a');
  Write(80, std::uint16_t{0x6362});
  ASSERT_EQ(Run(), Decoded::kDone);
  ASSERT_EQ(recorder_.observations.size(), 2u);
  EXPECT_EQ(recorder_.observations[0].hash, kHashOfA);
  EXPECT_EQ(recorder_.observations[0].payload_bytes, 1u);
  EXPECT_EQ(recorder_.observations[1].site, record::SiteId{101});
  EXPECT_FALSE(recorder_.observations[1].hash);
  EXPECT_NE(recorder_.observations[0].payload, recorder_.observations[1].payload);
  const auto& pieces = recorder_.payloads.at(*recorder_.observations[1].payload);
  EXPECT_THAT(pieces.at(0).bytes, ElementsAre(std::byte{'b'}, std::byte{'c'}));
}

TEST_F(ProbeDecodeTest, ASlotOfAnotherReplayOrExecutableIsNotRead) {
  AddSite(1, {0, 1, 4096, 16, 0}).hash = true;
  Write(16, Record{});
  for (const SlotHeader header :
       {SlotHeader{kStamp - 1, kExecutable}, SlotHeader{kNumber, kExecutable},
        SlotHeader{kStamp, kExecutable + 1}, SlotHeader{0, 0}}) {
    Write(0, header);
    EXPECT_EQ(Run(), Decoded::kOtherReplay) << header.replay << " " << header.executable;
  }
  EXPECT_THAT(recorder_.observations, IsEmpty());
}

TEST_F(ProbeDecodeTest, NothingIsObservedUnlessAllIsRead) {
  AddSite(1, {0, 1, 4096, 16, 0}).hash = true;
  AddSite(1, {0, 1, 4096, 64, 0}).hash = true;
  AddSite(3u << 19, {0, 1, 4096, 0, 112}).copy_bytes = 3u << 19;
  Write(112 + (3u << 19), std::byte{});
  // Header, two records, two pieces of the copy.
  for (int reads = 0; reads < 5; ++reads) {
    reads_left_ = reads;
    EXPECT_EQ(Run(), Decoded::kUnread) << reads;
    EXPECT_THAT(recorder_.observations, IsEmpty());
  }
  reads_left_ = 5;
  EXPECT_EQ(Run(), Decoded::kDone);
  EXPECT_EQ(recorder_.observations.size(), 3u);
}

}  // namespace
}  // namespace graphtap::probe
