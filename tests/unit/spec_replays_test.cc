// Which replays are due.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "proto/spec/specification.h"

namespace graphtap::spec {
namespace {

using testing::ElementsAre;
using Item = Replays::Item;

Replays Parsed(std::string_view text, Words words = Words::kSupported) {
  std::string error;
  auto replays = ParseReplays(text, &error, words);
  EXPECT_TRUE(replays) << error;
  return replays.value_or(Replays());
}

std::vector<std::uint64_t> DueUpTo(std::uint64_t last, std::string_view text) {
  const Replays replays = Parsed(text);
  std::vector<std::uint64_t> due;
  for (std::uint64_t n = 0; n <= last; ++n) {
    if (replays.Due(n)) due.push_back(n);
  }
  return due;
}

TEST(Replays, NumbersRangesAndPeriodsAddUp) {
  EXPECT_THAT(DueUpTo(300, "1,2,every:100"), ElementsAre(1, 2, 100, 200, 300));
  EXPECT_THAT(DueUpTo(20, "7"), ElementsAre(7));
  EXPECT_THAT(DueUpTo(20, "12 , 3-5"), ElementsAre(3, 4, 5, 12));
  EXPECT_THAT(DueUpTo(20, "9-11,4-5,5-6,2-2,10"), ElementsAre(2, 4, 5, 6, 9, 10, 11));
  EXPECT_THAT(DueUpTo(12, "every:4,every:6,every:8"), ElementsAre(4, 6, 8, 12));
  EXPECT_THAT(DueUpTo(4, "every:1"), ElementsAre(1, 2, 3, 4));
}

TEST(Replays, NestedRangesKeepTheLongest) {
  EXPECT_THAT(DueUpTo(12, "1-10,2-3,12"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12));
}

TEST(Replays, TheGreatestNumbersAreNumbers) {
  constexpr auto kLast = std::numeric_limits<std::uint64_t>::max();
  const auto replays = Parsed("18446744073709551614-18446744073709551615,5,5-18446744073709551600");
  EXPECT_TRUE(replays.Due(kLast));
  EXPECT_TRUE(replays.Due(kLast - 1));
  EXPECT_FALSE(replays.Due(kLast - 2));
  EXPECT_FALSE(replays.Due(4));
  EXPECT_TRUE(Parsed("every:18446744073709551615").Due(kLast));
  EXPECT_TRUE(Parsed("every:2K").Due(4096));
  EXPECT_FALSE(Parsed("every:2K").Due(2000));
}

TEST(Replays, NothingIsDueByDefault) {
  for (std::uint64_t n = 0; n < 10; ++n) EXPECT_FALSE(Replays().Due(n));
}

TEST(Replays, ItemsAreKeptAsWritten) {
  const auto replays = Parsed("5,1-3, every:1K,random:0.25:7,random:1,budget:2.5", Words::kAll);
  using Kind = Item::Kind;
  EXPECT_THAT(replays.items(),
              ElementsAre(Item{Kind::kNumber, 5, 5, 0, 0}, Item{Kind::kRange, 1, 3, 0, 0},
                          Item{Kind::kEvery, 1024, 0, 0, 0}, Item{Kind::kRandom, 0, 0, 0.25, 7},
                          Item{Kind::kRandom, 0, 0, 1, 0}, Item{Kind::kBudget, 0, 0, 2.5, 0}));
  EXPECT_EQ(replays.text(), "5,1-3, every:1K,random:0.25:7,random:1,budget:2.5");
  EXPECT_EQ(Text(replays), "5,1-3,every:1024,random:0.25:7,random:1,budget:2.5");
  EXPECT_EQ(Parsed(Text(replays), Words::kAll), replays);
}

TEST(Replays, SmallSharesArePrintedExactly) {
  const auto replays = Parsed("random:0.0000001,budget:0.1,random:0.3", Words::kAll);
  EXPECT_EQ(Text(replays), "random:0.0000001,budget:0.1,random:0.3");
}

}  // namespace
}  // namespace graphtap::spec
