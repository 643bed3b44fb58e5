// Which operators of a step outside of captures can be observed, and how they are known.
#include "interpose/eager/step_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/operator_node.h"

namespace graphtap::eager {
namespace {

using ops::Kind;
using record::Role;
using testing::ElementsAre;

constexpr record::StringId kForward{1}, kLinear{2}, kMm{3}, kAdd{4}, kMmBackward{5}, kAccumulate{6},
    kWeight{7};

record::Tensor OnDevice(Role role, std::uint64_t address = 4096) {
  record::Tensor tensor;
  tensor.role = role;
  tensor.sizes = {4};
  tensor.strides = {1};
  tensor.device = 0;
  tensor.address = address;
  tensor.bytes = 16;
  return tensor;
}

ops::Start Called(Kind kind, record::StringId name, std::optional<std::uint32_t> parent = {}) {
  ops::Start start;
  start.kind = kind;
  start.name = name;
  start.parent = parent;
  start.call = true;
  return start;
}

ops::Start BackwardOf(ops::Sequence sequence) {
  ops::Start backward = Called(Kind::kComposite, kMmBackward);
  backward.call = false;
  backward.backward = true;
  backward.sequence = sequence;
  backward.gradients = {OnDevice(Role::kGradient)};
  return backward;
}

class StepOpsTest : public testing::Test {
 protected:
  void Run(ops::Start start, std::vector<record::Tensor> tensors) {
    const auto op = ops_.Begin(std::move(start));
    ops_.End(op.value(), std::move(tensors));
  }

  static std::optional<record::StringId> NameOf(std::uint64_t address) {
    return address == 4096 ? std::optional(kWeight) : std::nullopt;
  }

  ops::ForwardOps forward_;
  StepOps ops_{forward_, NameOf};
};

TEST_F(StepOpsTest, ALeafIsANodeOnceItHasEndedWithTensorsOnADevice) {
  const auto add = ops_.Begin(Called(Kind::kLeaf, kAdd));
  EXPECT_TRUE(ops_.nodes().empty());
  ops_.End(*add, {OnDevice(Role::kOutput), OnDevice(Role::kInput, 8192)});
  record::Tensor on_host = OnDevice(Role::kOutput);
  on_host.device = std::nullopt;
  Run(Called(Kind::kLeaf, kMm), {on_host});
  Run(Called(Kind::kLeaf, kMm), {});
  ASSERT_EQ(ops_.nodes().size(), 1u);
  const record::Node& node = ops_.nodes().front();
  EXPECT_EQ(node.parameters.kind, kOperatorNode);
  EXPECT_EQ(node.op, *add);
  ASSERT_EQ(node.parameters.operands.size(), 2u);
  EXPECT_EQ(node.parameters.operands[1].role, Role::kInput);
  EXPECT_EQ(node.parameters.operands[1].address, 8192u);
  EXPECT_EQ(node.parameters.operands[1].extent, 16u);
}

TEST_F(StepOpsTest, WhatGivesNothingIsNoNode) {
  Run(Called(Kind::kLeaf, kAdd), {});
  Run(Called(Kind::kLeaf, kAdd), {OnDevice(Role::kOutput)});
  ASSERT_EQ(ops_.nodes().size(), 1u);
  const auto model = ops_.Model();
  ASSERT_EQ(model.ops->size(), 1u);
  EXPECT_EQ(model.ops->front().invocation, 1u) << "it counts all the same";
}

TEST_F(StepOpsTest, TheGraphHasOperatorsWithTensorsAndThoseAroundThem) {
  const auto bare = ops_.Begin(Called(Kind::kComposite, kForward));
  ops_.End(*bare, {});
  const auto linear = ops_.Begin(Called(Kind::kComposite, kLinear));
  Run(Called(Kind::kLeaf, kMm, linear), {OnDevice(Role::kOutput)});
  Run(Called(Kind::kLeaf, kAdd, linear), {OnDevice(Role::kOutput)});
  ops_.End(*linear, {});
  const auto model = ops_.Model();
  std::vector<record::StringId> names;
  for (const auto& op : *model.ops) names.push_back(op.name);
  EXPECT_THAT(names, ElementsAre(kLinear, kMm, kAdd));
  EXPECT_EQ((*model.ops)[2].parent, 0u);
  ASSERT_EQ(model.nodes->size(), 2u);
  EXPECT_EQ((*model.nodes)[1].op, 2u);
  EXPECT_EQ((*model.nodes)[1].ops, model.ops);
}

TEST_F(StepOpsTest, AGradientIsThereWhenItsBackwardNodeBegins) {
  const ops::Sequence sequence{7, 1};
  auto linear = Called(Kind::kComposite, kLinear);
  linear.sequence = sequence;
  const auto around = ops_.Begin(linear);
  auto mm = Called(Kind::kLeaf, kMm, around);
  mm.sequence = sequence;
  Run(mm, {OnDevice(Role::kOutput)});
  ops_.End(*around, {});
  ops_.Begin(BackwardOf(sequence));
  ASSERT_EQ(ops_.nodes().size(), 2u);
  const auto model = ops_.Model();
  const record::Operand& operand = (*model.nodes)[1].parameters.operands.front();
  EXPECT_EQ(operand.role, Role::kGradient);
  ASSERT_TRUE(operand.op);
  const auto& gradient = (*model.ops)[*operand.op].gradient;
  ASSERT_TRUE(gradient);
  EXPECT_THAT(gradient->names, ElementsAre(kLinear, kMm, kMmBackward));
}

TEST_F(StepOpsTest, TheNextStepGoesBackThroughTheOneBefore) {
  auto mm = Called(Kind::kLeaf, kMm);
  mm.sequence = {7, 1};
  Run(mm, {OnDevice(Role::kOutput)});
  ops_.Finish();
  StepOps next(forward_, NameOf);
  next.Begin(BackwardOf({7, 1}));
  const auto model = next.Model();
  ASSERT_TRUE(model.ops->front().gradient);
  EXPECT_THAT(model.ops->front().gradient->names, ElementsAre(kMm, kMmBackward));
}

TEST_F(StepOpsTest, AGradientOfAParameterGoesByItsName) {
  for (const std::uint64_t parameter : {4096, 8192, 4096}) {
    ops::Start accumulate = BackwardOf({});
    accumulate.name = kAccumulate;
    accumulate.sequence = std::nullopt;
    accumulate.parameter = parameter;
    ops_.Begin(accumulate);
  }
  const auto ops = ops_.Model().ops;
  ASSERT_EQ(ops->size(), 3u);
  EXPECT_THAT((*ops)[0].gradient->names, ElementsAre(kWeight, kAccumulate));
  EXPECT_THAT((*ops)[1].gradient->names, ElementsAre(kAccumulate));
  EXPECT_THAT((*ops)[2].gradient->names, ElementsAre(kWeight, kAccumulate));
  EXPECT_EQ((*ops)[2].gradient->invocation, 1u);
}

TEST_F(StepOpsTest, ABackwardNodeOfWhatRanInsideALeafIsOfThatLeaf) {
  auto linear = Called(Kind::kLeaf, kLinear);
  linear.sequence = {7, 0};
  const auto leaf = ops_.Begin(linear);
  auto mm = Called(Kind::kInner, kMm, leaf);
  mm.sequence = {7, 1};
  ops_.AddInner(mm);
  ops_.End(*leaf, {OnDevice(Role::kOutput)});
  ops_.Begin(BackwardOf({7, 1}));
  const auto model = ops_.Model();
  ASSERT_TRUE(model.ops->back().gradient);
  EXPECT_THAT(model.ops->back().gradient->names, ElementsAre(kLinear, kMmBackward));
}

TEST_F(StepOpsTest, ThereIsAnEndToHowManyAreKept) {
  for (std::size_t i = 0; i < StepOps::kMost; ++i) {
    ASSERT_TRUE(ops_.Begin(Called(Kind::kLeaf, kAdd)));
  }
  EXPECT_FALSE(ops_.Begin(Called(Kind::kLeaf, kAdd)));
}

}  // namespace
}  // namespace graphtap::eager
