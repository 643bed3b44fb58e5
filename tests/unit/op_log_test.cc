// Which operators of a capture a graph keeps, and which of them its nodes belong to.
#include "interpose/ops/op_log.h"

#include <gtest/gtest.h>

#include "interpose/ops/gradient_namer.h"
#include "interpose/ops/tensors.h"

namespace graphtap::ops {
namespace {

constexpr record::StringId kStep{1}, kLinear{2}, kAdd{3}, kBias{4}, kView{5};

CUgraphNode At(std::uintptr_t number) { return reinterpret_cast<CUgraphNode>(number); }

// A capture whose nodes are 1, 2, 3, …; each op asks for the newest.
class OpLogTest : public testing::Test {
 protected:
  std::vector<CUgraphNode> Newest() const {
    return nodes_.empty() ? std::vector<CUgraphNode>{} : std::vector{nodes_.back()};
  }
  void AddNode() { nodes_.push_back(At(nodes_.size() + 1)); }

  std::uint32_t Begin(Kind kind, record::StringId name, std::optional<std::uint32_t> parent = {}) {
    return log_.Begin({kind, name, {}, parent}, {Newest(), moment_});
  }
  void End(std::uint32_t op, std::size_t outputs = 0) {
    log_.End(op, {Newest(), moment_}, std::vector<record::Tensor>(outputs));
  }

  OpLog log_;
  ForwardOps forward_;
  std::vector<CUgraphNode> nodes_;
  std::uint64_t moment_ = 0;
};

TEST_F(OpLogTest, NodesBelongToTheLeafAndTellWhatRanInside) {
  AddNode();
  const auto step = Begin(Kind::kComposite, kStep);
  AddNode();
  const auto linear = Begin(Kind::kLeaf, kLinear, step);
  AddNode();
  const auto bias = Begin(Kind::kInner, kBias, linear);
  AddNode();
  End(bias);
  AddNode();
  End(linear, 1);
  End(step);
  AddNode();
  const GraphOps result = log_.Resolve(nodes_, 0, &forward_);
  ASSERT_EQ(result.ops.size(), 2u);
  EXPECT_EQ(result.ops[0].kind, record::OpKind::kComposite);
  EXPECT_EQ(result.ops[1].name, kLinear);
  EXPECT_EQ(result.ops[1].parent, 0u);
  EXPECT_EQ(result.ops[1].tensors.size(), 1u);
  ASSERT_EQ(result.nodes.size(), 4u) << "the first and the last are outside";
  EXPECT_EQ(result.nodes.at(At(2)).op, 0u);
  for (const std::uintptr_t node : {3, 4, 5}) EXPECT_EQ(result.nodes.at(At(node)).op, 1u);
  EXPECT_EQ(result.nodes.at(At(3)).inner_op, std::nullopt);
  EXPECT_EQ(result.nodes.at(At(4)).inner_op, kBias);
  EXPECT_EQ(result.nodes.at(At(5)).inner_op, std::nullopt);
}

TEST_F(OpLogTest, WhatLeavesNothingIsLeftOutButCounted) {
  End(Begin(Kind::kLeaf, kAdd));
  End(Begin(Kind::kLeaf, kView));
  const auto add = Begin(Kind::kLeaf, kAdd);
  AddNode();
  End(add);
  End(Begin(Kind::kLeaf, kAdd), 1);
  const GraphOps result = log_.Resolve(nodes_, 0, &forward_);
  ASSERT_EQ(result.ops.size(), 2u);
  EXPECT_EQ(result.ops[0].invocation, 1u);
  EXPECT_EQ(result.ops[1].invocation, 2u) << "no node, but a tensor";
}

TEST_F(OpLogTest, AnOpThatHasNotEndedHasAllNodesBehindItsBegin) {
  AddNode();
  AddNode();
  Begin(Kind::kLeaf, kAdd);
  AddNode();
  const GraphOps result = log_.Resolve(nodes_, 1, &forward_);
  EXPECT_EQ(result.nodes.size(), 1u);
  EXPECT_TRUE(result.nodes.contains(At(3)));
}

TEST_F(OpLogTest, NodesThatWereThereBeforeHaveNoOp) {
  AddNode();
  const std::uint32_t add = log_.Begin({Kind::kLeaf, kAdd, {}, {}}, {{}, 0});
  AddNode();
  End(add);
  const GraphOps result = log_.Resolve(nodes_, 1, &forward_);
  EXPECT_FALSE(result.nodes.contains(At(1)));
  EXPECT_TRUE(result.nodes.contains(At(2)));
}

// A stream whose newest node is older than another stream's adds behind both.
TEST_F(OpLogTest, AnOpKeepsWhereItWasCalled) {
  Start start{.kind = Kind::kLeaf, .name = kAdd, .scope = {}, .parent = {}};
  start.stack = record::StackId{3};
  const auto add = log_.Begin(start, {Newest(), 0});
  AddNode();
  End(add);
  const auto view = Begin(Kind::kLeaf, kView);
  AddNode();
  End(view);
  const GraphOps result = log_.Resolve(nodes_, 0, &forward_);
  ASSERT_EQ(result.ops.size(), 2u);
  EXPECT_EQ(result.ops[0].stack, record::StackId{3});
  EXPECT_EQ(result.ops[1].stack, std::nullopt);
}

// Two backward passes in one graph; one parameter without a name.
TEST_F(OpLogTest, AGradientOfAParameterGoesByItsName) {
  const record::StringId node{40}, name{41};
  for (const std::uint64_t address : {1, 2, 1}) {
    Start start{.kind = Kind::kComposite, .name = node, .scope = {}, .parent = {}};
    start.backward = true;
    start.gradients.emplace_back().role = record::Role::kGradient;
    start.parameter = address;
    End(log_.Begin(start, {Newest(), 0}));
  }
  auto ops = log_.Resolve(nodes_, 0, &forward_).ops;
  ASSERT_EQ(ops.size(), 3u);
  GradientNamer namer(
      [&](std::uint64_t address) { return address == 1 ? std::optional(name) : std::nullopt; });
  for (record::Op& op : ops) namer.Name(&*op.gradient);
  using Names = std::vector<record::StringId>;
  EXPECT_EQ(ops[0].gradient->names, (Names{name, node}));
  EXPECT_EQ(ops[1].gradient->names, Names{node});
  EXPECT_EQ(ops[2].gradient->names, (Names{name, node}));
  EXPECT_EQ(ops[0].gradient->invocation, 0u);
  EXPECT_EQ(ops[1].gradient->invocation, 1u);
  EXPECT_EQ(ops[2].gradient->invocation, 1u);
}

TEST_F(OpLogTest, AKernelOutsideOfLeavesKeepsWhereItWasLaunched) {
  AddNode();
  log_.Launch(At(1), record::StackId{3});
  GraphOps result = log_.Resolve(nodes_, 0, &forward_);
  EXPECT_EQ(result.stacks.at(At(1)), record::StackId{3});
  GraphOps later;
  later.stacks.emplace(At(2), record::StackId{4});
  Append(std::move(later), &result);
  EXPECT_EQ(result.stacks.at(At(2)), record::StackId{4});
  EXPECT_EQ(result.stacks.size(), 2u);
}

TEST_F(OpLogTest, CutsNeverGoBack) {
  AddNode();
  const auto add = Begin(Kind::kLeaf, kAdd);
  AddNode();
  End(add);
  const std::uint32_t linear = log_.Begin({Kind::kLeaf, kLinear, {}, {}}, {{At(1)}, 0});
  AddNode();
  End(linear);
  const GraphOps result = log_.Resolve(nodes_, 0, &forward_);
  EXPECT_EQ(result.ops.at(result.nodes.at(At(2)).op).name, kAdd);
  EXPECT_EQ(result.ops.at(result.nodes.at(At(3)).op).name, kLinear);
}

TEST_F(OpLogTest, OpsOfASecondCaptureComeBehind) {
  const auto step = Begin(Kind::kComposite, kStep);
  const auto add = Begin(Kind::kLeaf, kAdd, step);
  AddNode();
  End(add);
  GraphOps all = log_.Resolve(nodes_, 0, &forward_), more = all;
  more.nodes = {{At(9), NodeOp{1, {}}}};
  more.arrivals = {{1, At(9), nullptr}};
  Append(std::move(more), &all);
  ASSERT_EQ(all.ops.size(), 4u);
  EXPECT_EQ(all.ops[3].parent, 2u);
  EXPECT_EQ(all.ops[1].invocation, 0u);
  EXPECT_EQ(all.ops[3].invocation, 1u) << "else two operators had one name";
  EXPECT_EQ(all.nodes.at(At(1)).op, 1u);
  EXPECT_EQ(all.nodes.at(At(9)).op, 3u);
  EXPECT_EQ(all.arrivals.at(0).op, 3u);
}

// Two nodes of the backward pass, whose gradients are there behind the node before; the first adds
// none itself.
TEST_F(OpLogTest, GradientsAreKnownByWhoseTheyAre) {
  AddNode();
  const Sequence sequence{3, 8};
  Start mul{Kind::kLeaf, kAdd, {}, {}};
  mul.call = true;
  mul.sequence = sequence;
  End(log_.Begin(mul, {Newest(), 0}));
  Start back{Kind::kComposite, kStep, {}, {}};
  back.backward = true;
  back.sequence = sequence;
  back.gradients.resize(2);
  End(log_.Begin(back, {Newest(), 0}));
  back.sequence = Sequence{3, 9};
  const std::uint32_t second = log_.Begin(back, {{At(1), At(7)}, 0});
  AddNode();
  End(second);
  const GraphOps result = log_.Resolve(nodes_, 0, &forward_);
  ASSERT_EQ(result.ops.size(), 2u) << "the forward operator has left nothing";
  ASSERT_EQ(result.arrivals.size(), 2u);
  EXPECT_EQ(result.ops[0].gradient->names, (std::vector{kAdd, kStep}));
  EXPECT_EQ(result.ops[0].tensors.size(), 2u);
  EXPECT_EQ(result.arrivals[0].before, At(1));
  EXPECT_EQ(result.arrivals[0].first, nullptr);
  EXPECT_EQ(result.ops[1].gradient->names, std::vector{kStep}) << "no operator has its number";
  EXPECT_EQ(result.ops[1].gradient->invocation, 1u);
  EXPECT_EQ(result.arrivals[1].before, nullptr) << "two streams join";
  EXPECT_EQ(result.arrivals[1].first, At(2));
}

// Each op's edges at the moment that is reached by then.
TEST_F(OpLogTest, ANodeWasAddedBetweenTheMomentsOfTheEdgesAroundIt) {
  AddNode();
  moment_ = 12;
  const auto add = Begin(Kind::kLeaf, kAdd);
  AddNode();
  const auto bias = Begin(Kind::kInner, kBias, add);
  moment_ = 15;
  End(bias);
  AddNode();
  AddNode();
  moment_ = 18;
  End(add);
  AddNode();
  const auto moments = log_.Moments(nodes_, 0, {10, 20});
  ASSERT_EQ(moments.size(), 5u);
  const auto expect = [&](std::size_t node, std::uint64_t begin, std::uint64_t end) {
    EXPECT_EQ(moments[node].begin, begin) << "node " << node;
    EXPECT_EQ(moments[node].end, end) << "node " << node;
  };
  expect(0, 10, 12);
  expect(1, 12, 12);
  expect(2, 15, 18);
  expect(3, 15, 18);
  expect(4, 18, 20);
}

TEST_F(OpLogTest, WithoutAnOpTheMomentsAreThoseOfTheCapture) {
  AddNode();
  AddNode();
  const auto moments = log_.Moments(nodes_, 0, {10, 20});
  ASSERT_EQ(moments.size(), 2u);
  EXPECT_EQ(moments[1].begin, 10u);
  EXPECT_EQ(moments[1].end, 20u);
}

// Nodes that were there before the capture, and an edge whose stream has none yet.
TEST_F(OpLogTest, MomentsCountFromTheNodesOfTheCapture) {
  AddNode();
  AddNode();
  moment_ = 12;
  const std::uint32_t add = log_.Begin({Kind::kLeaf, kAdd, {}, {}}, {{}, moment_});
  AddNode();
  moment_ = 14;
  End(add);
  const auto moments = log_.Moments(nodes_, 2, {10, 20});
  ASSERT_EQ(moments.size(), 3u);
  EXPECT_EQ(moments[2].begin, 12u);
  EXPECT_EQ(moments[2].end, 14u);
}

TEST(TensorsTest, StructuresOfAnotherDayAreReadAsFarAsTheyGo) {
  struct Longer {
    GraphtapTensor tensor;
    std::uint64_t more;
  };
  const std::int64_t sizes[] = {2, 3}, strides[] = {3, 1};
  Longer given[2] = {};
  for (Longer& one : given) {
    one.tensor = {sizeof(Longer), GRAPHTAP_TENSOR_INPUT, 5, 3, 4, 1, 100, 64, 256, 2, sizes,
                  strides};
  }
  given[1].tensor.device = -1;
  const GraphtapOpResult result{sizeof(result), sizeof(Longer), 2, &given[0].tensor};
  const auto tensors = Tensors(result);
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].role, record::Role::kInput);
  EXPECT_EQ(tensors[0].index, 5u);
  EXPECT_EQ(tensors[0].bytes, 24u);
  EXPECT_EQ(tensors[0].device, 1u);
  EXPECT_EQ(tensors[1].device, std::nullopt);
  EXPECT_EQ(tensors[1].sizes, (std::vector<std::int64_t>{2, 3}));
}

TEST(TensorsTest, COrder) {
  record::Tensor tensor;
  tensor.bytes = 24;
  const auto in_order = [&](std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides) {
    tensor.sizes = std::move(sizes);
    tensor.strides = std::move(strides);
    return InCOrder(tensor);
  };
  EXPECT_TRUE(in_order({}, {}));
  EXPECT_TRUE(in_order({2, 3}, {3, 1}));
  EXPECT_TRUE(in_order({2, 1, 3}, {3, 77, 1})) << "a dimension of one element has no stride";
  EXPECT_FALSE(in_order({2, 3}, {1, 2})) << "dense, but in another order";
  EXPECT_FALSE(in_order({2, 3}, {4, 1})) << "a gap";
  EXPECT_FALSE(in_order({6}, {0})) << "one element again and again";
  tensor.bytes = 0;
  EXPECT_TRUE(in_order({0, 3}, {1, 2}));
}

}  // namespace
}  // namespace graphtap::ops
