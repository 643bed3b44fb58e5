// What the adapter tells of ops of the framework: names, kinds, and which tensors.

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/dtype.h"
#include "tests/adapter/fake_host.h"

namespace graphtap::adapter_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::int64_t> Sizes(const at::Tensor& tensor) { return tensor.sizes().vec(); }

// That what was told is this tensor.
void ExpectTensor(const ToldTensor& got, const at::Tensor& tensor, GraphtapTensorRole role,
                  std::uint32_t index) {
  EXPECT_EQ(got.told.size, sizeof(GraphtapTensor));
  EXPECT_EQ(got.told.role, role);
  EXPECT_EQ(got.told.index, index);
  EXPECT_EQ(got.told.device, -1);
  EXPECT_EQ(got.told.item_bytes, tensor.element_size());
  EXPECT_EQ(got.told.address, reinterpret_cast<std::uint64_t>(tensor.data_ptr()));
  EXPECT_EQ(got.told.storage_address,
            reinterpret_cast<std::uint64_t>(tensor.storage().data_ptr().get()));
  EXPECT_EQ(got.told.storage_bytes, tensor.storage().nbytes());
  EXPECT_EQ(got.sizes, Sizes(tensor));
  EXPECT_EQ(got.strides, tensor.strides().vec());
}

TEST(Ops, AnOutputIsToldWithItsPlaceAndShape) {
  const at::Tensor a = at::rand({3, 4}), b = at::rand({3, 4}).t().contiguous().t();
  const Watch watch;
  const at::Tensor sum = at::add(a, b);
  const ToldOp op = watch.Only("aten::add.Tensor");
  EXPECT_EQ(op.kind, GRAPHTAP_OP_LEAF);
  EXPECT_TRUE(op.ended);
  EXPECT_EQ(op.stream, nullptr);
  ASSERT_THAT(op.tensors, SizeIs(1));
  ExpectTensor(op.tensors[0], sum, GRAPHTAP_TENSOR_OUTPUT, 0);
  EXPECT_EQ(op.tensors[0].told.dtype, static_cast<std::uint32_t>(Dtype::kFloat32));
}

TEST(Ops, AnOpWithoutOverloadHasItsBareName) {
  const at::Tensor a = at::rand({2, 2});
  const Watch watch;
  const at::Tensor product = at::mm(a, a);
  EXPECT_THAT(watch.Only("aten::mm").tensors, SizeIs(1));
}

TEST(Ops, AWrittenArgumentIsToldAndNoOutput) {
  const at::Tensor whole = at::rand({8}), a = whole.slice(0, 2, 6, 2);
  const Watch watch;
  a.add_(1);
  const ToldOp op = watch.Only("aten::add_.Scalar");
  ASSERT_THAT(op.tensors, SizeIs(1));
  ExpectTensor(op.tensors[0], a, GRAPHTAP_TENSOR_INPUT, 0);
}

// The leaves that gave or wrote a tensor, among those that make room, and one that computes.
std::vector<std::string> GivingLeaves() {
  at::Tensor a = at::rand({4}), b = at::rand({4});
  const Watch watch;
  const at::Tensor empty = at::empty({4}), strided = at::empty_strided({4}, {1});
  const at::Tensor like = at::empty_like(a), sum = a + 1;
  a.resize_({8});
  b.set_(a);
  std::vector<std::string> giving;
  for (const ToldOp& op : watch.Ops()) {
    if (op.kind == GRAPHTAP_OP_LEAF && !op.tensors.empty()) giving.push_back(op.name);
  }
  return giving;
}

TEST(Ops, WhatMakesRoomGivesNothingUnlessItIsFilled) {
  EXPECT_THAT(GivingLeaves(), ElementsAre("aten::add.Scalar"));
  at::globalContext().setDeterministicAlgorithms(true, false);
  const auto filled = GivingLeaves();
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  const auto not_filled = GivingLeaves();
  at::globalContext().setDeterministicFillUninitializedMemory(true);
  at::globalContext().setDeterministicAlgorithms(false, false);
  EXPECT_THAT(filled, ElementsAre("aten::empty.memory_format", "aten::empty_strided",
                                  "aten::empty_like", "aten::add.Scalar", "aten::resize_"));
  EXPECT_THAT(not_filled, ElementsAre("aten::add.Scalar"));
}

TEST(Ops, AListIsCountedTensorByTensor) {
  std::vector<at::Tensor> a, b, c;
  for (int i = 0; i < 3; ++i) {
    a.push_back(at::rand({i + 1}));
    b.push_back(at::rand({i + 1}));
    c.push_back(at::rand({i + 1}));
  }
  const Watch watch;
  at::_foreach_addcmul_(a, b, c, 1);
  const ToldOp op = watch.Only("aten::_foreach_addcmul_.Scalar");
  EXPECT_EQ(op.kind, GRAPHTAP_OP_LEAF);
  ASSERT_THAT(op.tensors, SizeIs(3));
  for (int i = 0; i < 3; ++i) ExpectTensor(op.tensors[i], a[i], GRAPHTAP_TENSOR_INPUT, i);
}

TEST(Ops, WhatALeafCallsIsInnerAndTellsNoTensors) {
  std::vector<at::Tensor> a{at::rand({2}), at::rand({3})};
  const Watch watch;
  at::_foreach_add_(a, a);
  std::size_t inner = 0;
  for (const ToldOp& op : watch.Ops()) {
    if (op.kind != GRAPHTAP_OP_INNER) continue;
    ++inner;
    EXPECT_THAT(op.tensors, IsEmpty());
  }
  EXPECT_GE(inner, 2u);
  EXPECT_THAT(watch.Leaves(), ElementsAre("aten::_foreach_add_.List"));
}

TEST(Ops, AnIndexCountsArgumentsBeforeItOfEachKind) {
  const at::Tensor input = at::rand({2, 3, 4}), mean = at::zeros({3}), variance = at::ones({3});
  at::Tensor out = at::empty({0});
  const Watch watch;
  at::_native_batch_norm_legit(input, std::nullopt, std::nullopt, const_cast<at::Tensor&>(mean),
                               const_cast<at::Tensor&>(variance), true, 0.1, 1e-5);
  at::cat_out(out, {input, input}, 1);
  const ToldOp norm = watch.Only("aten::_native_batch_norm_legit");
  ASSERT_THAT(norm.tensors, SizeIs(5));
  ExpectTensor(norm.tensors[0], mean, GRAPHTAP_TENSOR_INPUT, 3);
  ExpectTensor(norm.tensors[1], variance, GRAPHTAP_TENSOR_INPUT, 4);
  EXPECT_EQ(norm.tensors[4].told.index, 2u);
  const ToldOp cat = watch.Only("aten::cat.out");
  ASSERT_THAT(cat.tensors, SizeIs(1));
  ExpectTensor(cat.tensors[0], out, GRAPHTAP_TENSOR_INPUT, 2);
}

TEST(Ops, AnArgumentThatTheOpResizesIsToldAsItIsAfterwards) {
  const at::Tensor a = at::rand({300});
  at::Tensor out = at::empty({0});
  const Watch watch;
  at::add_out(out, a, a);
  const ToldOp op = watch.Only("aten::add.out");
  ASSERT_THAT(op.tensors, SizeIs(1));
  ExpectTensor(op.tensors[0], out, GRAPHTAP_TENSOR_INPUT, 2);
}

TEST(Ops, EachOutputHasItsIndex) {
  const at::Tensor a = at::rand({3, 4});
  const Watch watch;
  const auto [values, indices] = at::max(a, 1);
  const ToldOp op = watch.Only("aten::max.dim");
  ASSERT_THAT(op.tensors, SizeIs(2));
  ExpectTensor(op.tensors[0], values, GRAPHTAP_TENSOR_OUTPUT, 0);
  ExpectTensor(op.tensors[1], indices, GRAPHTAP_TENSOR_OUTPUT, 1);
  EXPECT_EQ(op.tensors[1].told.dtype, static_cast<std::uint32_t>(Dtype::kInt64));
}

TEST(Ops, AnOutputThatIsNotThereCounts) {
  const at::Tensor input = at::rand({1, 2, 5, 5}), weight = at::rand({3, 2, 3, 3});
  const at::Tensor gradient = at::rand({1, 3, 3, 3});
  const Watch watch;
  const auto result =
      at::convolution_backward(gradient, input, weight, at::IntArrayRef({3}), {1, 1}, {0, 0},
                               {1, 1}, false, {0, 0}, 1, {false, true, true});
  const ToldOp op = watch.Only("aten::convolution_backward");
  EXPECT_FALSE(std::get<0>(result).defined());
  ASSERT_THAT(op.tensors, SizeIs(2));
  EXPECT_EQ(op.tensors[0].told.index, 1u);
  ExpectTensor(op.tensors[0], std::get<1>(result), GRAPHTAP_TENSOR_OUTPUT, 1);
}

TEST(Ops, ViewsAreNoOutputs) {
  const at::Tensor a = at::rand({4, 6});
  const Watch watch;
  const auto parts = at::chunk(a, 2);
  const at::Tensor flat = a.view({24}).unsqueeze(0).detach(), same = a.contiguous();
  for (const ToldOp& op : watch.Ops()) EXPECT_THAT(op.tensors, IsEmpty()) << op.name;
  EXPECT_THAT(watch.Leaves(), Contains("aten::view"));
}

TEST(Ops, ACompositeOpIsARangeAroundLeaves) {
  const at::Tensor input = at::rand({2, 3}), weight = at::rand({4, 3}), bias = at::rand({4});
  const Watch watch;
  const at::Tensor output = at::linear(input, weight, bias);
  const ToldOp linear = watch.Only("aten::linear"), addmm = watch.Only("aten::addmm");
  EXPECT_EQ(linear.kind, GRAPHTAP_OP_COMPOSITE);
  EXPECT_THAT(linear.tensors, IsEmpty());
  EXPECT_EQ(addmm.kind, GRAPHTAP_OP_LEAF);
  EXPECT_EQ(watch.Ops().at(addmm.parent).name, "aten::linear");
  ASSERT_THAT(addmm.tensors, SizeIs(1));
  ExpectTensor(addmm.tensors[0], output, GRAPHTAP_TENSOR_OUTPUT, 0);
  EXPECT_LT(addmm.end_order, linear.end_order);
}

TEST(Ops, CompositesNest) {
  const at::Tensor a = at::rand({2, 3, 4}), b = at::rand({2, 4, 5});
  const Watch watch;
  const at::Tensor product = at::einsum("bij,bjk->bik", {a, b});
  const at::Tensor same = at::matmul(a, b);
  std::size_t outputs = 0;
  for (const ToldOp& op : watch.Ops()) {
    if (op.name == "aten::bmm") {
      EXPECT_EQ(op.kind, GRAPHTAP_OP_LEAF);
      outputs += op.tensors.size();
    }
  }
  EXPECT_EQ(outputs, 2u);
  EXPECT_EQ(watch.Only("aten::einsum").kind, GRAPHTAP_OP_COMPOSITE);
  EXPECT_EQ(watch.Only("aten::matmul").kind, GRAPHTAP_OP_COMPOSITE);
}

TEST(Ops, BackwardNodesAreRangesAroundLeaves) {
  const at::Tensor a = at::rand({3, 3}).set_requires_grad(true), b = at::rand({3, 3});
  const at::Tensor loss = at::mm(a, b).sum();
  const Watch watch;
  loss.backward();
  const ToldOp node = watch.Only("MmBackward0"), product = watch.Only("aten::mm");
  EXPECT_EQ(node.kind, GRAPHTAP_OP_COMPOSITE);
  EXPECT_EQ(watch.Ops().at(product.parent).name, "MmBackward0");
  EXPECT_EQ(watch.Ops().at(node.parent).name, "autograd::engine::evaluate_function: MmBackward0");
  ASSERT_THAT(product.tensors, SizeIs(1));
  EXPECT_EQ(product.tensors[0].sizes, Sizes(a.grad()));
  for (const ToldOp& op : watch.Ops()) EXPECT_TRUE(op.ended) << op.name;
}

}  // namespace
}  // namespace graphtap::adapter_test
