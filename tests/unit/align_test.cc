// The longest common subsequence, against the textbook's table on random sequences.
#include "analyzer/tensors/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace graphtap::tensors {
namespace {

using testing::ElementsAre;
using testing::Pair;
using Sequence = std::vector<std::uint32_t>;

std::size_t TableLength(const Sequence& a, const Sequence& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      best[i][j] =
          a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
    }
  }
  return best[a.size()][b.size()];
}

void ExpectLongest(const Sequence& a, const Sequence& b) {
  const auto pairs = Align(a, b);
  EXPECT_EQ(pairs.size(), TableLength(a, b))
      << testing::PrintToString(a) << testing::PrintToString(b);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(a.at(pairs[i].first), b.at(pairs[i].second));
    if (i == 0) continue;
    EXPECT_LT(pairs[i - 1].first, pairs[i].first);
    EXPECT_LT(pairs[i - 1].second, pairs[i].second);
  }
}

TEST(AlignTest, FindsWhatWasInsertedAndRemoved) {
  EXPECT_THAT(Align(Sequence{1, 2, 3, 4}, Sequence{1, 9, 2, 4}),
              ElementsAre(Pair(0, 0), Pair(1, 2), Pair(3, 3)));
  EXPECT_THAT(Align(Sequence{}, Sequence{1}), ElementsAre());
  EXPECT_THAT(Align(Sequence{1}, Sequence{2}), ElementsAre());
  EXPECT_THAT(Align(Sequence{7}, Sequence{7}), ElementsAre(Pair(0, 0)));
}

TEST(AlignTest, IsAsLongAsTheTableSays) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const auto sequence = [&] {
      Sequence made(random() % 14);
      const std::uint32_t letters = 1 + random() % 5;
      for (auto& element : made) element = random() % letters;
      return made;
    };
    ExpectLongest(sequence(), sequence());
  }
}

TEST(AlignTest, LongSequencesThatDifferLittle) {
  std::mt19937 random(2);
  Sequence a(20'000), b;
  for (auto& element : a) element = random() % 50;
  for (const std::uint32_t element : a) {
    if (random() % 1000 != 0) b.push_back(element);
    if (random() % 1000 == 0) b.push_back(99);
  }
  const auto pairs = Align(a, b);
  EXPECT_GT(pairs.size(), 19'900u);
}

TEST(AlignTest, SequencesWithNothingInCommonTakeLinearMemory) {
  Sequence a(3'000, 1), b(3'000, 2);
  EXPECT_THAT(Align(a, b), ElementsAre());
}

}  // namespace
}  // namespace graphtap::tensors
