#include "interpose/probe/kernels/block_size.h"

#include <gtest/gtest.h>

namespace graphtap::probe {
namespace {

TEST(BlockSize, FillsTheGpuAndStaysBetweenItsBounds) {
  EXPECT_EQ(BlockBytes(0), 4096u);
  EXPECT_EQ(BlockBytes(1), 4096u);
  EXPECT_EQ(BlockBytes(Word{528} * 4096), 4096u);
  EXPECT_EQ(BlockBytes(Word{528} * 4096 + 1), 8192u);
  EXPECT_EQ(BlockBytes(Word{16} << 20), 32768u);
  EXPECT_EQ(BlockBytes(Word{528} * 131072), 131072u);
  EXPECT_EQ(BlockBytes(Word{1} << 40), 131072u);
  EXPECT_EQ(BlockBytes(~Word{0} - 1000), 131072u);
}

Tensor Make(Word bytes, Word copy_bytes, Statistics statistics) {
  Tensor tensor{};
  tensor.bytes = bytes;
  tensor.copy_bytes = copy_bytes;
  tensor.statistics = static_cast<unsigned>(statistics);
  tensor.block_bytes = 4096;
  return tensor;
}

TEST(BlockSize, BlocksReachOverDigestAndCopy) {
  EXPECT_EQ(BlockCount(Make(0, 0, Statistics::kNone)), 1u);
  EXPECT_EQ(BlockCount(Make(4096, 0, Statistics::kNone)), 1u);
  EXPECT_EQ(BlockCount(Make(4097, 1, Statistics::kNone)), 2u);
  EXPECT_EQ(BlockCount(Make(1, 8193, Statistics::kNone)), 3u);
}

TEST(BlockSize, RecordsAreOfTheDigestAlone) {
  EXPECT_EQ(RecordCount(Make(0, 9000, Statistics::kNone)), 0u);
  EXPECT_EQ(RecordCount(Make(0, 9000, Statistics::kFloat32)), 1u);
  EXPECT_EQ(RecordCount(Make(4096, 9000, Statistics::kNone)), 1u);
  EXPECT_EQ(RecordCount(Make(4097, 0, Statistics::kBfloat16)), 2u);
}

}  // namespace
}  // namespace graphtap::probe
