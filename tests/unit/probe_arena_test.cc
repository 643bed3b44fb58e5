// What the arena asks the driver for, and which piece it gives out.
#include "interpose/probe/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace graphtap::probe {
namespace {

constexpr std::uint64_t kBase = 0x7f0000000000;
constexpr std::uint64_t kChunk = 4096;

// A driver that gives memory in one row, so that chunks lie side by side.
class ArenaTest : public testing::Test {
 protected:
  std::optional<std::uint64_t> More(std::uint64_t bytes) {
    asked_.push_back(bytes);
    if (bytes > most_) return std::nullopt;
    most_ -= bytes;
    const std::uint64_t address = next_;
    next_ += bytes;
    return address;
  }

  // Pieces of these sizes, which fill one chunk from its beginning.
  std::vector<std::uint64_t> Fill(const std::vector<std::uint64_t>& sizes) {
    std::vector<std::uint64_t> addresses;
    for (const std::uint64_t size : sizes) addresses.push_back(*arena_.Take(size));
    return addresses;
  }

  std::vector<std::uint64_t> asked_;
  std::uint64_t next_ = kBase, most_ = UINT64_MAX;
  Arena arena_{kChunk, [this](std::uint64_t bytes) { return More(bytes); }};
};

using Sizes = std::vector<std::uint64_t>;

TEST_F(ArenaTest, CutsAlignedPiecesFromOneChunk) {
  EXPECT_EQ(arena_.Take(1), kBase);
  EXPECT_EQ(arena_.Take(257), kBase + 256);
  EXPECT_EQ(arena_.Take(256), kBase + 768);
  EXPECT_EQ(arena_.Take(0), kBase + 1024) << "also nothing has a place of its own";
  EXPECT_EQ(arena_.Take(1), kBase + 1280);
  EXPECT_EQ(asked_, Sizes{kChunk});
}

TEST_F(ArenaTest, AsksForMultiplesOfAChunk) {
  arena_.Take(kChunk);
  arena_.Take(kChunk + 1);
  arena_.Take(3 * kChunk - 255);
  EXPECT_EQ(asked_, (Sizes{kChunk, 2 * kChunk, 3 * kChunk}));
}

TEST_F(ArenaTest, TakesTheSmallestPieceThatIsLargeEnough) {
  const auto pieces = Fill({1024, 256, 512, 256, 2048});
  arena_.Return(pieces[0], 1024);
  arena_.Return(pieces[2], 512);
  arena_.Return(pieces[4], 2048);
  EXPECT_EQ(arena_.Take(300), pieces[2]);
  EXPECT_EQ(arena_.Take(300), pieces[0]);
  EXPECT_EQ(arena_.Take(512), pieces[0] + 512) << "what was left of it";
  EXPECT_EQ(arena_.Take(1), pieces[4]);
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(ArenaTest, JoinsReturnedNeighboursInAnyOrder) {
  std::vector<unsigned> order = {0, 1, 2, 3};
  do {
    const auto pieces = Fill({1024, 1024, 1024, 1024});
    for (const unsigned i : order) arena_.Return(pieces[i], 1024);
    ASSERT_EQ(arena_.Take(kChunk), kBase) << order[0] << order[1] << order[2] << order[3];
    arena_.Return(kBase, kChunk);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(asked_, Sizes{kChunk});
}

TEST_F(ArenaTest, NeverJoinsTwoChunks) {
  const std::uint64_t first = *arena_.Take(kChunk), second = *arena_.Take(kChunk);
  ASSERT_EQ(second, first + kChunk) << "they must be neighbours";
  arena_.Return(second, kChunk);
  arena_.Return(first, kChunk);
  EXPECT_EQ(arena_.Take(2 * kChunk), second + kChunk);
  EXPECT_EQ(arena_.Take(kChunk), first);
  EXPECT_EQ(arena_.Take(kChunk), second);
  EXPECT_EQ(asked_, (Sizes{kChunk, kChunk, 2 * kChunk}));
}

TEST_F(ArenaTest, AsksForWhatIsNeededWhereAChunkIsTooMuch) {
  most_ = 1536;
  EXPECT_EQ(arena_.Take(300), kBase);
  EXPECT_EQ(asked_, (Sizes{kChunk, 512}));
  EXPECT_EQ(arena_.Take(1024), kBase + 512) << "512 bytes of the first are rounding, not free";
  EXPECT_EQ(arena_.Take(1), std::nullopt);
  EXPECT_EQ(asked_, (Sizes{kChunk, 512, kChunk, 1024, kChunk, 256}));
}

TEST_F(ArenaTest, DoesNotAskTwiceForTheSame) {
  most_ = 0;
  EXPECT_EQ(arena_.Take(kChunk), std::nullopt);
  EXPECT_EQ(asked_, Sizes{kChunk});
  most_ = kChunk;
  EXPECT_EQ(arena_.Take(kChunk), kBase) << "a refusal is not for ever";
}

TEST_F(ArenaTest, PiecesAreApartWhateverIsTakenAndReturned) {
  std::mt19937 random(17);
  std::map<std::uint64_t, std::uint64_t> taken;  // address -> bytes
  for (int i = 0; i < 3000; ++i) {
    if (taken.size() > 20 || (!taken.empty() && random() % 3 == 0)) {
      const auto piece = std::next(taken.begin(), random() % taken.size());
      arena_.Return(piece->first, piece->second);
      taken.erase(piece);
      continue;
    }
    const std::uint64_t bytes = 1 + random() % 2000;
    const std::uint64_t address = *arena_.Take(bytes);
    ASSERT_EQ(address % 256, 0u);
    const auto after = taken.lower_bound(address);
    ASSERT_TRUE(after == taken.end() || address + bytes <= after->first);
    if (after != taken.begin()) {
      ASSERT_LE(std::prev(after)->first + std::prev(after)->second, address);
    }
    taken.emplace(address, bytes);
  }
  for (const auto& [address, bytes] : taken) arena_.Return(address, bytes);
  const std::size_t chunks = asked_.size();
  for (std::size_t i = 0; i < chunks; ++i) EXPECT_TRUE(arena_.Take(kChunk));
  EXPECT_EQ(asked_.size(), chunks) << "each chunk is whole again";
}

}  // namespace
}  // namespace graphtap::probe
