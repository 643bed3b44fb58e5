// Where the elements of tensors lie that are not in C order, and how kernels find them.
#include "interpose/probe/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

namespace graphtap::probe {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::uint64_t kBase = 0x7f0000000000;

record::Tensor TensorOf(std::uint64_t item, Numbers sizes, Numbers strides,
                        std::uint64_t address = kBase) {
  record::Tensor tensor;
  tensor.address = address;
  tensor.bytes = item;
  for (const std::int64_t size : sizes) tensor.bytes *= static_cast<std::uint64_t>(size);
  tensor.sizes = std::move(sizes);
  tensor.strides = std::move(strides);
  return tensor;
}

// "3@8 5@24, 4 bytes": sizes and strides; "C order"; "none".
std::string Text(const record::Tensor& tensor) {
  const auto shape = ShapeOf(tensor);
  if (!shape) return "none";
  if (shape->dimensions.empty()) return "C order";
  std::string text;
  for (const Dimension& dimension : shape->dimensions) {
    text += std::to_string(dimension.size) + '@' + std::to_string(dimension.stride) + ' ';
  }
  return text + std::to_string(shape->piece_bytes);
}

TEST(ProbeShape, DimensionsThatContinueOneAnotherAreOne) {
  EXPECT_EQ(Text(TensorOf(4, {3, 5}, {1, 3})), "3@4 5@12 4") << "transposed";
  EXPECT_EQ(Text(TensorOf(2, {4, 3, 5, 7}, {105, 1, 21, 3})), "4@210 3@2 35@6 2")
      << "channels last";
  EXPECT_EQ(Text(TensorOf(4, {10}, {2})), "10@8 4") << "every second";
  EXPECT_EQ(Text(TensorOf(4, {6, 1, 3}, {0, 99, 1})), "6@0 3@4 4") << "expanded";
  EXPECT_EQ(Text(TensorOf(4, {2, 3, 5}, {0, 0, 0})), "30@0 4");
  EXPECT_EQ(Text(TensorOf(1, {5}, {-1})), "5@-1 1");
}

TEST(ProbeShape, PiecesAreAsLargeAsTheyCanBe) {
  EXPECT_EQ(Text(TensorOf(4, {5, 8}, {12, 1})), "5@48 2@16 16") << "rows of whole lanes";
  EXPECT_EQ(Text(TensorOf(4, {5, 4}, {12, 1})), "5@48 16");
  EXPECT_EQ(Text(TensorOf(4, {5, 6}, {10, 1})), "5@40 3@8 8");
  EXPECT_EQ(Text(TensorOf(4, {5, 8}, {9, 1})), "5@36 8@4 4") << "rows begin anywhere";
  EXPECT_EQ(Text(TensorOf(4, {5, 7}, {12, 1})), "5@48 7@4 4");
  EXPECT_EQ(Text(TensorOf(4, {5, 8}, {12, 1}, kBase + 8)), "5@48 4@8 8");
  EXPECT_EQ(Text(TensorOf(16, {3, 2}, {1, 3})), "3@16 2@48 16");
  EXPECT_EQ(Text(TensorOf(4, {3, 2}, {1, 3}, kBase + 2)), "3@4 2@12 2@2 2") << "not aligned";
  EXPECT_EQ(Text(TensorOf(12, {3, 2}, {1, 3})), "3@12 2@36 3@4 4");
}

TEST(ProbeShape, COrderHasNone) {
  for (const auto& tensor :
       {TensorOf(4, {}, {}), TensorOf(8, {3, 5}, {5, 1}), TensorOf(8, {3, 1, 5}, {5, 77, 1}),
        TensorOf(1, {1, 1}, {9, 9}), TensorOf(2, {7}, {1}), TensorOf(4, {8}, {1}, kBase + 1)}) {
    EXPECT_EQ(Text(tensor), "C order");
  }
}

TEST(ProbeShape, WhatNoProbeCanReadHasNone) {
  const Numbers sizes(9, 2), eight(8, 2);
  const Numbers strides = {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536};
  EXPECT_EQ(Text(TensorOf(4, sizes, strides)), "none");
  EXPECT_NE(Text(TensorOf(4, eight, strides)), "none");
  EXPECT_EQ(Text(TensorOf(4, eight, strides, kBase + 2)), "none") << "one more for the halves";
  EXPECT_EQ(Text(TensorOf(4, {-2, -3}, {1, 2})), "none");
  EXPECT_EQ(Text(TensorOf(4, {5}, {INT64_MAX / 2})), "none");
  EXPECT_EQ(Text(TensorOf(4, {1ll << 40}, {1ll << 20})), "none");
  EXPECT_EQ(Text(TensorOf(4, {1ll << 31, 1ll << 31}, {0, 0})), "none");
  EXPECT_EQ(Text(TensorOf(4, {1ll << 32, 1ll << 31, 3}, {0, 0, 0})), "none");
}

// As the kernel does: the piece's number, divided by the sizes with the multipliers.
std::uint64_t AddressOf(const Strides& strides, std::uint64_t address, std::uint64_t piece) {
  __extension__ using Wide = unsigned __int128;
  for (unsigned d = strides.dimensions; d-- > 1;) {
    const auto high = static_cast<std::uint64_t>(Wide{piece} * strides.multipliers[d] >> 64);
    const std::uint64_t outer = high >> strides.shifts[d];
    address += (piece - outer * strides.sizes[d]) * strides.strides[d];
    piece = outer;
  }
  return address + piece * strides.strides[0];
}

// The address of each byte in C order, from the tensor itself.
std::vector<std::uint64_t> AddressesOf(const record::Tensor& tensor, std::uint64_t item) {
  std::vector<std::uint64_t> addresses = {tensor.address};
  for (std::size_t d = 0; d < tensor.sizes.size(); ++d) {
    std::vector<std::uint64_t> inner;
    for (const std::uint64_t address : addresses) {
      for (std::int64_t i = 0; i < tensor.sizes[d]; ++i) {
        inner.push_back(address + static_cast<std::uint64_t>(i * tensor.strides[d]) * item);
      }
    }
    addresses = std::move(inner);
  }
  std::vector<std::uint64_t> bytes;
  for (const std::uint64_t address : addresses) {
    for (std::uint64_t i = 0; i < item; ++i) bytes.push_back(address + i);
  }
  return bytes;
}

record::Tensor RandomTensor(std::mt19937& random, std::uint64_t item) {
  Numbers sizes, strides;
  const std::size_t dimensions = random() % 6;
  std::int64_t step = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    sizes.push_back(1 + static_cast<std::int64_t>(random() % 6));
    const std::uint32_t kind = random() % 8;
    strides.push_back(kind == 0 ? 0 : kind == 1 ? -step : step);
    step *= sizes.back() + (random() % 3 == 0 ? static_cast<std::int64_t>(random() % 4) : 0);
  }
  for (std::size_t d = dimensions; d-- > 1;) {
    const std::size_t other = random() % (d + 1);
    std::swap(sizes[d], sizes[other]);
    std::swap(strides[d], strides[other]);
  }
  const std::uint64_t offset = random() % 2 == 0 ? 0 : random() % 3 * (item % 2 == 0 ? 2 : 1);
  return TensorOf(item, sizes, strides, kBase + offset);
}

TEST(ProbeShape, EachPieceIsFoundAndAllMemoryIsKnown) {
  std::mt19937 random(3);
  int strided = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t item = std::vector<std::uint64_t>{1, 2, 4, 8, 16, 6}[random() % 6];
    const record::Tensor tensor = RandomTensor(random, item);
    const auto shape = ShapeOf(tensor);
    ASSERT_TRUE(shape);
    const auto expected = AddressesOf(tensor, item);
    const auto [first, last] = std::ranges::minmax(expected);
    const Memory memory = MemoryOf(*shape, tensor.address, tensor.bytes);
    ASSERT_EQ(memory.address, first) << Text(tensor);
    ASSERT_EQ(memory.bytes, last - first + 1) << Text(tensor);
    if (shape->dimensions.empty()) continue;
    ++strided;
    const Strides strides = StridesOf(*shape);
    for (std::uint64_t at = 0; at < tensor.bytes; ++at) {
      const std::uint64_t piece = AddressOf(strides, tensor.address, at / strides.piece_bytes);
      ASSERT_EQ(piece % strides.piece_bytes, 0u) << Text(tensor);
      ASSERT_EQ(piece + at % strides.piece_bytes, expected[at]) << Text(tensor) << ' ' << at;
    }
  }
  EXPECT_GT(strided, 2000);
}

TEST(ProbeShape, DivisionsAreExactAtAllSizes) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t size = 2 + (random() >> random() % 63 >> 1);
    const Shape shape{1, {{2, 0}, {size, 1}}};
    Strides strides = StridesOf(shape);
    strides.strides[0] = 1;  // so that the address is the quotient
    strides.strides[1] = 0;
    const std::uint64_t near = random() % (INT64_MAX / size + 1) * size;
    for (const std::uint64_t n : {near, near == 0 ? 0 : near - 1, random() >> random() % 63 >> 1}) {
      ASSERT_EQ(AddressOf(strides, 0, n), n / size) << n << " / " << size;
    }
  }
}

}  // namespace
}  // namespace graphtap::probe
