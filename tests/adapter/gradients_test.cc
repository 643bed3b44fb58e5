// What the adapter tells of the backward pass: the gradients that flow into its nodes, and which
// operator each goes back through.

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/adapter/fake_host.h"

namespace graphtap::adapter_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint32_t kSequenced = GRAPHTAP_OP_SEQUENCED;

bool Has(const ToldOp& op, std::uint32_t flag) { return (op.flags & flag) != 0; }

// The one that began last with the sequence of this node of the backward pass.
std::string ForwardOf(const std::vector<ToldOp>& ops, const ToldOp& node) {
  std::string name;
  for (const ToldOp& op : ops) {
    if (!Has(op, kSequenced) || Has(op, GRAPHTAP_OP_BACKWARD)) continue;
    if (op.sequence == node.sequence && op.sequence_thread == node.sequence_thread) name = op.name;
  }
  return name;
}

at::Tensor Parameter(std::initializer_list<std::int64_t> sizes) {
  return at::rand(sizes).requires_grad_(true);
}

// A linear layer on three dimensions: views around a product; then its sum.
TEST(Gradients, ANodeGoesBackThroughTheOperatorThatBeganLastWithItsSequence) {
  const at::Tensor input = at::rand({2, 3, 4}), weight = Parameter({5, 4}), bias = Parameter({5});
  const Watch watch;
  at::linear(input, weight, bias).sum().backward();
  const auto ops = watch.Ops();
  std::map<std::string, std::string> forward;
  for (const ToldOp& op : ops) {
    if (!Has(op, GRAPHTAP_OP_BACKWARD)) continue;
    EXPECT_FALSE(Has(op, GRAPHTAP_OP_CALL)) << op.name;
    EXPECT_EQ(op.kind, GRAPHTAP_OP_COMPOSITE) << op.name;
    forward[op.name] = ForwardOf(ops, op);
  }
  EXPECT_EQ(forward["SumBackward0"], "aten::sum");
  EXPECT_EQ(forward["AddmmBackward0"], "aten::addmm");
  EXPECT_EQ(forward["TBackward0"], "aten::t");
  EXPECT_EQ(forward.count("torch::autograd::AccumulateGrad"), 1u);
  EXPECT_EQ(forward["torch::autograd::AccumulateGrad"], "");
}

TEST(Gradients, WhatFlowsIntoANodeIsToldAtItsBegin) {
  const at::Tensor a = Parameter({3, 4}), b = Parameter({4, 5}), gradient = at::rand({3, 5});
  const Watch watch;
  at::mm(a, b).backward(gradient);
  const ToldOp node = watch.Only("MmBackward0");
  EXPECT_TRUE(Has(node, kSequenced));
  ASSERT_THAT(node.gradients, SizeIs(1));
  const ToldTensor& told = node.gradients[0];
  EXPECT_EQ(told.told.role, GRAPHTAP_TENSOR_GRADIENT);
  EXPECT_EQ(told.told.index, 0u);
  EXPECT_EQ(told.told.address, reinterpret_cast<std::uint64_t>(gradient.data_ptr()));
  EXPECT_EQ(told.sizes, gradient.sizes().vec());
  for (const ToldOp& op : watch.Ops()) {
    if (Has(op, GRAPHTAP_OP_BACKWARD)) continue;
    EXPECT_THAT(op.gradients, IsEmpty()) << op.name;
  }
}

TEST(Gradients, ANodeThatAccumulatesTellsIntoWhat) {
  const at::Tensor weight = Parameter({5, 4}), bias = Parameter({5});
  const Watch watch;
  for (int i = 0; i < 2; ++i) at::linear(at::rand({3, 4}), weight, bias).sum().backward();
  std::multiset<std::uint64_t> told;
  for (const ToldOp& op : watch.Ops()) {
    const bool accumulates = op.name == "torch::autograd::AccumulateGrad";
    EXPECT_EQ(op.parameter != 0, accumulates) << op.name;
    if (accumulates) told.insert(op.parameter);
  }
  const auto address = [](const at::Tensor& of) {
    return reinterpret_cast<std::uint64_t>(of.data_ptr());
  };
  EXPECT_EQ(told, (std::multiset<std::uint64_t>{address(weight), address(weight), address(bias),
                                                address(bias)}));
}

// Of an operator with several outputs some may have no gradient.
TEST(Gradients, TheIndexCountsTheOutputsOfTheOperator) {
  const at::Tensor whole = Parameter({6, 2});
  const Watch watch;
  const auto pieces = at::split_with_sizes(whole, {1, 2, 3});
  pieces[2].sum().backward();
  const ToldOp node = watch.Only("SplitWithSizesBackward0");
  ASSERT_THAT(node.gradients, SizeIs(1));
  EXPECT_EQ(node.gradients[0].told.index, 2u);
  EXPECT_EQ(node.gradients[0].sizes, (std::vector<std::int64_t>{3, 2}));
}

TEST(Gradients, OutsideOfAutogradNothingHasASequence) {
  const at::Tensor a = Parameter({3});
  const at::NoGradGuard no_gradients;
  const Watch watch;
  const at::Tensor sum = a + a;
  EXPECT_EQ(watch.Only("aten::add.Tensor").flags, GRAPHTAP_OP_CALL);
}

}  // namespace
}  // namespace graphtap::adapter_test
