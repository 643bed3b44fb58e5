// Whose gradient flows into a node of the backward pass.
#include "interpose/ops/forward_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphtap::ops {
namespace {

using testing::ElementsAre;

constexpr record::StringId kLinear{1}, kView{2}, kMm{3}, kAttention{4}, kInnerMul{5};

// Operators of one thread, numbered as autograd does: the number counts the nodes of the backward
// pass that there are when an operator begins.
class ForwardOpsTest : public testing::Test {
 protected:
  void Add(Kind kind, record::StringId name, std::uint64_t number,
           std::optional<std::uint32_t> parent = {}) {
    ops_.push_back({{1, number}, kind, name, record::StringId{9}, 7, parent});
  }
  std::vector<record::StringId> NamesOf(std::uint64_t number, std::uint64_t thread = 1) {
    const auto gradient = forward_.Of({thread, number});
    return gradient ? gradient->names : std::vector<record::StringId>{};
  }

  std::vector<ForwardOp> ops_;
  ForwardOps forward_;
};

// A linear layer: a view, then the product.
TEST_F(ForwardOpsTest, ACompositeHasTheGradientOfItsLastNode) {
  Add(Kind::kComposite, kLinear, 10);
  Add(Kind::kLeaf, kView, 10, 0);
  Add(Kind::kLeaf, kMm, 11, 0);
  Add(Kind::kLeaf, kView, 12);
  forward_.Add(ops_);
  for (const std::uint64_t number : {10, 11, 12}) forward_.Reach({1, number});
  EXPECT_THAT(NamesOf(10), ElementsAre(kView)) << "the operator that began last has the number";
  EXPECT_THAT(NamesOf(11), ElementsAre(kLinear, kMm));
  EXPECT_THAT(NamesOf(12), ElementsAre(kView));
  const auto linear = forward_.Of({1, 11});
  EXPECT_EQ(linear->scope, record::StringId{9});
  EXPECT_EQ(linear->invocation, 7u);
  EXPECT_THAT(NamesOf(13), ElementsAre());
  EXPECT_THAT(NamesOf(11, 2), ElementsAre()) << "of another thread";
}

// The product's node is not in the backward pass, which ends at the view.
TEST_F(ForwardOpsTest, WhatTheBackwardPassDoesNotReachIsNotItsLast) {
  Add(Kind::kComposite, kLinear, 10);
  Add(Kind::kLeaf, kView, 10, 0);
  Add(Kind::kLeaf, kMm, 11, 0);
  forward_.Add(ops_);
  forward_.Reach({1, 10});
  EXPECT_THAT(NamesOf(10), ElementsAre(kLinear, kView));
}

TEST_F(ForwardOpsTest, ALeafIsNamedWhoseNodeAnInnerOperatorMade) {
  Add(Kind::kLeaf, kAttention, 10);
  Add(Kind::kInner, kInnerMul, 10, 0);
  Add(Kind::kInner, kInnerMul, 11, 0);
  forward_.Add(ops_);
  for (const std::uint64_t number : {10, 11}) forward_.Reach({1, number});
  EXPECT_THAT(NamesOf(11), ElementsAre(kAttention));
  EXPECT_THAT(NamesOf(10), ElementsAre()) << "it flows inside of the leaf";
}

// A forward pass in one capture, the backward pass in another.
TEST_F(ForwardOpsTest, OperatorsOfEarlierCapturesAreKnown) {
  Add(Kind::kComposite, kLinear, 10);
  Add(Kind::kLeaf, kMm, 10, 0);
  forward_.Add(ops_);
  forward_.Add(ops_);  // the numbers are used again: the later ones count
  ops_.resize(1);
  ops_[0].sequence.number = 20;
  forward_.Add(ops_);
  forward_.Reach({1, 10});
  EXPECT_THAT(NamesOf(10), ElementsAre(kLinear, kMm));
}

TEST_F(ForwardOpsTest, TheOldestAreForgotten) {
  Add(Kind::kComposite, kLinear, 1);
  for (std::uint64_t i = 1; i < ForwardOps::kMost; ++i) Add(Kind::kLeaf, kMm, i, 0);
  forward_.Add(ops_);
  for (const std::uint64_t number : {1, 500}) forward_.Reach({1, number});
  EXPECT_THAT(NamesOf(500), ElementsAre(kLinear, kMm));
  forward_.Add(std::vector{ops_[0]});
  EXPECT_THAT(NamesOf(500), ElementsAre(kMm)) << "what was around it is forgotten";
  ops_[0].sequence.number = 0;
  ops_.resize(ForwardOps::kMost, ops_[0]);
  forward_.Add(std::vector(ForwardOps::kMost, ops_[0]));
  EXPECT_THAT(NamesOf(500), ElementsAre());
}

}  // namespace
}  // namespace graphtap::ops
