#include "interpose/ops/node_positions.h"

#include <gtest/gtest.h>

namespace graphtap::ops {
namespace {

CUgraphNode Node(std::uintptr_t address) { return reinterpret_cast<CUgraphNode>(address); }

TEST(NodePositionsTest, EachNodeOfTheListIsFoundAndNoOther) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 7u, 8u, 1000u}) {
    std::vector<CUgraphNode> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(Node(0x10000 + 0x40 * i));
    const NodePositions positions(nodes);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(positions.Find(nodes[i]), i);
    EXPECT_EQ(positions.Find(Node(0x10000 + 0x40 * count)), std::nullopt);
    EXPECT_EQ(positions.Find(nullptr), std::nullopt);
  }
}

TEST(NodePositionsTest, OfEqualNodesTheFirstCounts) {
  const CUgraphNode nodes[] = {Node(1), Node(2), Node(1)};
  EXPECT_EQ(NodePositions(nodes).Find(Node(1)), 0u);
}

}  // namespace
}  // namespace graphtap::ops
