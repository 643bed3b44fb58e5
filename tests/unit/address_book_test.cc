#include "interpose/memory/address_book.h"

#include <gtest/gtest.h>

namespace graphtap::memory {
namespace {

constexpr std::uint64_t kBase = 0x7f0000000000;
constexpr std::uint64_t kForeign = 0x7e0000000000;
int g_questions = 0;

// A driver that knows one allocation of 4 MiB which no hook has seen.
CUresult AddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  ++g_questions;
  if (address < kForeign || address >= kForeign + (4u << 20)) return CUDA_ERROR_NOT_FOUND;
  *base = kForeign;
  *bytes = 4u << 20;
  return CUDA_SUCCESS;
}

class AddressBookTest : public testing::Test {
 protected:
  AddressBookTest() {
    g_questions = 0;
    calls_.address_range = AddressRange;
  }
  driver::Calls calls_;
  AddressBook book_{calls_};
};

TEST_F(AddressBookTest, FindsFromTheFirstToTheLastByte) {
  book_.Add({kBase, 100, false});
  EXPECT_EQ(book_.Find(kBase)->base, kBase);
  EXPECT_EQ(book_.Find(kBase + 99)->base, kBase);
  EXPECT_FALSE(book_.Find(kBase + 100));
  EXPECT_FALSE(book_.Find(kBase - 1));
}

TEST_F(AddressBookTest, WhatIsTakenIsGoneUntilItIsPutBack) {
  book_.Add({kBase, 100, true});
  const auto taken = book_.Take(kBase);
  ASSERT_TRUE(taken);
  EXPECT_FALSE(book_.Find(kBase));
  book_.Add(*taken);
  EXPECT_TRUE(book_.Find(kBase)->host);
  EXPECT_FALSE(book_.Take(kBase + 1)) << "only the base names an allocation";
}

TEST_F(AddressBookTest, TheDriverIsAskedOnce) {
  Lookup lookup(book_);
  EXPECT_EQ(lookup.Find(kForeign + 10)->base, kForeign);
  EXPECT_EQ(lookup.Find(kForeign + (3u << 20))->bytes, 4u << 20);
  EXPECT_EQ(g_questions, 1);
  EXPECT_FALSE(lookup.Find(kForeign + (4u << 20)));
  EXPECT_FALSE(lookup.Find(kForeign + (4u << 20)));
  EXPECT_EQ(g_questions, 2);
}

TEST_F(AddressBookTest, ALookUpSeesWhatChangesInTheBook) {
  Lookup lookup(book_);
  EXPECT_EQ(lookup.Find(kBase), nullptr);
  book_.Add({kBase, 100, false});
  ASSERT_NE(lookup.Find(kBase + 99), nullptr);
  EXPECT_EQ(lookup.Find(kBase + 100), nullptr);
  book_.Add({kBase + 100, 100, true});
  EXPECT_TRUE(lookup.Find(kBase + 100)->host);
  EXPECT_FALSE(lookup.Find(kBase)->host);
  book_.Take(kBase);
  EXPECT_EQ(lookup.Find(kBase), nullptr);
  book_.RemoveAll(kBase + 100, 1);
  EXPECT_EQ(lookup.Find(kBase + 100), nullptr);
}

TEST_F(AddressBookTest, MoreAllocationsThanALookUpRemembersAreFound) {
  for (std::uint64_t i = 0; i < 100; ++i) book_.Add({kBase + 200 * i, 100, false});
  Lookup lookup(book_);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t base = kBase + 200 * (i % 100);
    ASSERT_NE(lookup.Find(base + 99), nullptr);
    EXPECT_EQ(lookup.Find(base + 99)->base, base);
    EXPECT_EQ(lookup.Find(base + 100), nullptr);
  }
}

TEST_F(AddressBookTest, AnUnmapTakesAllMappingsOut) {
  book_.Add({kBase, 100, false, true});
  book_.Add({kBase + 100, 100, false, true});
  book_.Add({kBase + 200, 100, false, true});
  book_.RemoveAll(kBase, 200);
  EXPECT_FALSE(book_.Find(kBase));
  EXPECT_FALSE(book_.Find(kBase + 100));
  EXPECT_TRUE(book_.Find(kBase + 200)->mapping);
}

TEST_F(AddressBookTest, MemoryOfTheGraphIsKnownToItsOwnLookUp) {
  Lookup lookup(book_), other(book_);
  lookup.AddOfGraph({kBase, 100});
  EXPECT_EQ(lookup.Find(kBase + 50)->base, kBase);
  EXPECT_FALSE(other.Find(kBase + 50));
}

TEST_F(AddressBookTest, SmallAndHugeWordsAreNoPointers) {
  Lookup lookup(book_);
  for (const std::uint64_t word : {0ull, 1ull, 0xffffffffull, 0x3f80000000000000ull, ~0ull}) {
    EXPECT_FALSE(lookup.Find(word));
  }
  EXPECT_EQ(g_questions, 0);
}

}  // namespace
}  // namespace graphtap::memory
