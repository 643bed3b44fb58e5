#include "interpose/graph/parameter_reader.h"

#include <gtest/gtest.h>

#include <array>

namespace graphtap::graph {
namespace {

constexpr std::uint64_t kBase = 0x7f0000000000;
constexpr std::uint64_t kSiteBytes = 4096;

class ParameterReaderTest : public testing::Test {
 protected:
  static Settings MakeSettings() {
    Settings settings;
    settings.site_bytes = kSiteBytes;
    return settings;
  }

  static record::NodeParameters Pointing(std::initializer_list<std::uint64_t> addresses) {
    record::NodeParameters node;
    for (const auto address : addresses) node.operands.emplace_back().address = address;
    return node;
  }

  driver::Calls calls_;
  session::Session session_{MakeSettings(), calls_};
  Functions functions_{session_};
  memory::AddressBook book_{calls_};
  ParameterReader reader_{session_, functions_, book_};
};

TEST(MayVaryTest, AddressesStructuresAndSingleBytesAreNotTheSameInTwoRuns) {
  const auto may_vary = [](auto value) { return MayVary(std::as_bytes(std::span(&value, 1))); };
  const std::uint64_t stack = 0x7ffeb9ca7af8, heap = 0x5581a0001230, mapping = 0x7f0000000000;
  for (const auto address : {stack, heap, mapping}) EXPECT_TRUE(may_vary(address)) << address;
  for (const auto number : {std::int64_t{0}, std::int64_t{1} << 31, std::int64_t{-1}}) {
    EXPECT_FALSE(may_vary(number)) << number;
  }
  for (const double number : {1.0, -0.5, 1e-30, 1e30}) EXPECT_FALSE(may_vary(number)) << number;
  EXPECT_FALSE(may_vary(1.0f));
  EXPECT_FALSE(may_vary(short{7}));
  EXPECT_TRUE(may_vary(char{0})) << "an empty class is a byte that nobody set";
  EXPECT_TRUE(may_vary(std::array<int, 3>{}));
}

TEST_F(ParameterReaderTest, ACopyReachesFromItsFirstToItsLastByte) {
  CUDA_MEMCPY3D copy{};
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = kBase;
  copy.dstPitch = 100;
  copy.dstHeight = 10;
  copy.dstXInBytes = 7;
  copy.dstY = 2;
  copy.dstZ = 3;
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.WidthInBytes = 20;
  copy.Height = 4;
  copy.Depth = 2;
  const auto node = reader_.Memcpy(copy);
  ASSERT_EQ(node.operands.size(), 1u) << "an array has no address";
  const auto& destination = node.operands.front();
  EXPECT_EQ(destination.role, record::Role::kDestination);
  EXPECT_EQ(destination.address, kBase + (3 * 10 + 2) * 100 + 7);
  EXPECT_EQ(destination.extent, (1 * 10 + 3) * 100u + 20u);
  EXPECT_TRUE(destination.exact);
}

TEST_F(ParameterReaderTest, AFillReachesOverItsRows) {
  const auto node = reader_.Memset({kBase, 256, 0, 4, 10, 3});
  EXPECT_EQ(node.operands.front().extent, 2 * 256u + 40u);
  EXPECT_EQ(node.memset->width, 10u);
}

TEST_F(ParameterReaderTest, ALonePointerToTheStartOfAnAllocationIsExact) {
  book_.Add({kBase, 100'000});
  auto node = Pointing({kBase});
  reader_.SetExtents({&node}, true);
  EXPECT_TRUE(node.operands[0].exact);
  EXPECT_EQ(node.operands[0].extent, 100'000u);
}

TEST_F(ParameterReaderTest, PointersThatShareAnAllocationCutEachOther) {
  book_.Add({kBase, 100'000});
  auto first = Pointing({kBase}), second = Pointing({kBase + 1000});
  reader_.SetExtents({&first, &second}, true);
  EXPECT_FALSE(first.operands[0].exact);
  EXPECT_EQ(first.operands[0].extent, 1000u);
  EXPECT_FALSE(second.operands[0].exact);
  EXPECT_EQ(second.operands[0].extent, kSiteBytes) << "the limit, not the end of the allocation";
}

TEST_F(ParameterReaderTest, NothingIsExactInAMappingOrInPartOfAGraph) {
  book_.Add({kBase, 1000});
  book_.Add({kBase + 1000, 1000, false, true});
  auto alone = Pointing({kBase}), mapped = Pointing({kBase + 1000});
  reader_.SetExtents({&alone}, false);
  EXPECT_FALSE(alone.operands[0].exact);
  EXPECT_EQ(alone.operands[0].extent, 1000u);
  reader_.SetExtents({&mapped}, true);
  EXPECT_FALSE(mapped.operands[0].exact);
}

}  // namespace
}  // namespace graphtap::graph
