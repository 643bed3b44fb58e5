// Which memory of allocation nodes is there behind a node.
#include "interpose/probe/graph_memory.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace graphtap::probe {
namespace {

constexpr std::uint32_t kKernel = 0, kChild = 4, kAllocation = 10, kFree = 11, kConditional = 13;
constexpr std::uint64_t kA = 0x7f0000000000, kB = 0x7f0000100000;

class GraphMemoryTest : public testing::Test {
 protected:
  // At the end of its level, behind the nodes at the positions `after`.
  std::uint32_t Add(std::uint32_t kind, std::initializer_list<std::uint32_t> after,
                    std::uint64_t address = 0, std::uint64_t bytes = 0) {
    record::Node node;
    node.index = static_cast<std::uint32_t>(nodes_.size());
    node.parent = parent_;
    node.body = body_;
    for (const record::Node& other : nodes_) {
      if (other.parent == parent_ && other.body == body_) ++node.position;
    }
    for (const std::uint32_t from : after) node.dependencies.push_back({from, 0, 0, 0});
    node.parameters.kind = kind;
    if (address != 0) node.parameters.operands.emplace_back().address = address;
    if (bytes != 0) node.parameters.operands.back().extent = bytes;
    nodes_.push_back(std::move(node));
    return nodes_.back().index;
  }

  std::optional<std::uint64_t> BytesAt(std::uint32_t node, std::uint64_t address) {
    return GraphMemory(nodes_, [](std::uint64_t) { return 1024; }).BytesAt(node, address);
  }

  std::vector<record::Node> nodes_;
  std::optional<std::uint32_t> parent_, body_;
};

TEST_F(GraphMemoryTest, MemoryIsThereBetweenItsAllocationAndItsFree) {
  const auto before = Add(kKernel, {});
  Add(kAllocation, {0}, kA, 4096);
  const auto user = Add(kKernel, {1});
  const auto last = Add(kKernel, {2});
  Add(kFree, {2, 3}, kA);
  const auto after = Add(kKernel, {4});
  EXPECT_EQ(BytesAt(before, kA), 0u);
  EXPECT_EQ(BytesAt(user, kA), 4096u);
  EXPECT_EQ(BytesAt(last, kA + 4000), 96u);
  EXPECT_EQ(BytesAt(after, kA), 0u);
}

TEST_F(GraphMemoryTest, OnlyItsOwnBytes) {
  Add(kAllocation, {}, kA, 4096);
  const auto user = Add(kKernel, {0});
  EXPECT_EQ(BytesAt(user, kB), std::nullopt);
  EXPECT_EQ(BytesAt(user, kA - 1), std::nullopt);
  EXPECT_EQ(BytesAt(user, kA + 4096), std::nullopt);
}

TEST_F(GraphMemoryTest, AFreeThatDoesNotDependOnTheNodeMayComeBeforeIt) {
  Add(kAllocation, {}, kA, 4096);
  const auto user = Add(kKernel, {0});
  const auto bystander = Add(kKernel, {0});
  Add(kFree, {1}, kA);
  EXPECT_EQ(BytesAt(user, kA), 4096u);
  EXPECT_EQ(BytesAt(bystander, kA), 0u);
}

TEST_F(GraphMemoryTest, ANodeBesideTheAllocationMayRunFirst) {
  Add(kAllocation, {}, kA, 4096);
  const auto beside = Add(kKernel, {});
  EXPECT_EQ(BytesAt(beside, kA), 0u);
}

TEST_F(GraphMemoryTest, AnAddressMayServeTwice) {
  Add(kAllocation, {}, kA, 4096);
  const auto first = Add(kKernel, {0});
  Add(kFree, {1}, kA);
  const auto between = Add(kKernel, {2});
  Add(kAllocation, {3}, kA, 64);
  const auto second = Add(kKernel, {4});
  Add(kFree, {5}, kA);
  EXPECT_EQ(BytesAt(first, kA), 4096u);
  EXPECT_EQ(BytesAt(between, kA), 0u);
  EXPECT_EQ(BytesAt(second, kA), 64u);
}

TEST_F(GraphMemoryTest, WhatIsNotFreedStays) {
  Add(kAllocation, {}, kA, 4096);
  const auto user = Add(kKernel, {0});
  EXPECT_EQ(BytesAt(user, kA), 4096u);
}

TEST_F(GraphMemoryTest, MemoryOfAnotherGraphIsThereUntilItIsFreed) {
  const auto before = Add(kKernel, {});
  Add(kFree, {0}, kB);
  const auto after = Add(kKernel, {1});
  const auto beside = Add(kKernel, {});
  EXPECT_EQ(BytesAt(before, kB + 1000), 24u);
  EXPECT_EQ(BytesAt(after, kB), 0u);
  EXPECT_EQ(BytesAt(beside, kB), 0u);
}

TEST_F(GraphMemoryTest, NodesInsideOthersComeWithThem) {
  Add(kAllocation, {}, kA, 4096);
  const auto conditional = Add(kConditional, {0});
  const auto child = Add(kChild, {1});
  Add(kFree, {1}, kA);
  parent_ = conditional;
  body_ = 1;
  EXPECT_EQ(BytesAt(Add(kKernel, {}), kA), 4096u);
  parent_ = child;
  body_ = std::nullopt;
  EXPECT_EQ(BytesAt(Add(kKernel, {}), kA), 0u) << "the free node may come before it";
}

TEST_F(GraphMemoryTest, AChildGraphMayAllocateForTheNodesBehindIt) {
  const auto child = Add(kChild, {});
  const auto behind = Add(kKernel, {0});
  parent_ = child;
  Add(kAllocation, {}, kA, 4096);
  EXPECT_EQ(BytesAt(behind, kA), 4096u);
  EXPECT_EQ(BytesAt(child, kA), 0u) << "not all of it runs behind the allocation";
}

}  // namespace
}  // namespace graphtap::probe
