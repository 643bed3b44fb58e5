// What points are called, and how often is too often.
#include <gtest/gtest.h>

#include "interpose/points/labels.h"
#include "interpose/points/later.h"
#include "interpose/points/rate.h"

namespace graphtap::points {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(Labels, ATextIsCountedFromItsSecondTimeOn) {
  Labels labels;
  EXPECT_EQ(labels.Next("step"), 1u);
  EXPECT_EQ(labels.Next("other"), 1u);
  EXPECT_EQ(labels.Next("step"), 2u);
  EXPECT_EQ(Labels::Of("step", 1), "step");
  EXPECT_EQ(Labels::Of("step", 2), "step#2");
  EXPECT_EQ(Labels::Of("", 1), "");
}

TEST(Labels, TextsThatEndAsLabelsDoAreNoOtherTextsLabels) {
  EXPECT_EQ(Labels::Of("step#2", 1), "step#2#1");
  EXPECT_EQ(Labels::Of("step:begin", 1), "step:begin#1");
  EXPECT_EQ(Labels::Of("step:end", 1), "step:end#1");
  EXPECT_EQ(Labels::Of("step#", 1), "step#");
  EXPECT_EQ(Labels::Of("step2", 1), "step2");
  EXPECT_EQ(Labels::Of("2", 1), "2");
  EXPECT_EQ(Labels::Of("#2", 1), "#2#1");
}

TEST(Labels, LongTextsAreCutAndOfTooManyNoneIsAdded) {
  Labels labels;
  const std::string text(Labels::kMostBytes, 'a');
  EXPECT_EQ(labels.Next(text + "b"), 1u);
  EXPECT_EQ(labels.Next(text + "c"), 2u);
  EXPECT_EQ(Labels::Of(text + "c", 2), text + "#2");
  for (std::size_t i = 1; i < Labels::kMostTexts; ++i) {
    ASSERT_EQ(labels.Next(std::to_string(i)), 1u);
  }
  EXPECT_EQ(labels.Next("more"), 0u);
  EXPECT_EQ(labels.Next("1"), 2u) << "those that are known go on";
}

TEST(Rate, GivesWhatItHasAndGetsMoreWithTime) {
  Rate rate(10);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(rate.Take(kSecond));
  EXPECT_FALSE(rate.Take(kSecond));
  EXPECT_FALSE(rate.Take(kSecond + kSecond / 20));
  EXPECT_TRUE(rate.Take(kSecond + kSecond / 10));
  EXPECT_FALSE(rate.Take(kSecond + kSecond / 10));
  EXPECT_FALSE(rate.Take(kSecond / 2)) << "an earlier time gives nothing";
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(rate.Take(100 * kSecond));
  EXPECT_FALSE(rate.Take(100 * kSecond)) << "no more than at the beginning";
}

TEST(Later, DoesAllThatWasPostedThenNothing) {
  int done = 0;
  Later later;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(later.Post([&] { ++done; }));
  ASSERT_TRUE(later.Post([] { throw std::bad_alloc(); }));
  EXPECT_TRUE(later.Finish(std::chrono::minutes(1)));
  EXPECT_EQ(done, 3);
  EXPECT_FALSE(later.Post([&] { ++done; }));
  EXPECT_TRUE(later.Finish({}));
}

TEST(Later, NobodyWaitsForWorkThatDoesNotEnd) {
  std::mutex held;
  Later later;
  {
    const std::lock_guard lock(held);
    std::size_t posted = 0;
    while (later.Post([&] { const std::lock_guard wait(held); })) ++posted;
    EXPECT_GE(posted, Later::kMost);
    EXPECT_LE(posted, Later::kMost + 1);
    EXPECT_FALSE(later.Finish(std::chrono::milliseconds(1)));
  }
}

TEST(Later, WithoutWorkThereIsNoThread) {
  Later later;
  EXPECT_TRUE(later.Finish({}));
}

}  // namespace
}  // namespace graphtap::points
