// Which tensors the adapter reads, and which it leaves alone.

#include <ATen/ATen.h>
#include <ATen/FunctionalTensorWrapper.h>
#include <c10/core/impl/COW.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/dtype.h"
#include "tests/adapter/fake_host.h"

namespace graphtap::adapter_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

void ExpectNoTensors(const Watch& watch) {
  EXPECT_THAT(watch.Ops(), testing::Not(IsEmpty()));
  for (const ToldOp& op : watch.Ops()) {
    EXPECT_TRUE(op.ended) << op.name;
    EXPECT_THAT(op.tensors, IsEmpty()) << op.name;
  }
}

TEST(Tensors, EachElementTypeHasItsNumber) {
  const std::vector<std::pair<at::ScalarType, Dtype>> types{
      {at::kHalf, Dtype::kFloat16},
      {at::kBFloat16, Dtype::kBfloat16},
      {at::kFloat, Dtype::kFloat32},
      {at::kDouble, Dtype::kFloat64},
      {at::kChar, Dtype::kInt8},
      {at::kShort, Dtype::kInt16},
      {at::kInt, Dtype::kInt32},
      {at::kLong, Dtype::kInt64},
      {at::kByte, Dtype::kUint8},
      {at::kUInt16, Dtype::kUint16},
      {at::kUInt32, Dtype::kUint32},
      {at::kUInt64, Dtype::kUint64},
      {at::kBool, Dtype::kBool},
      {at::kFloat8_e4m3fn, Dtype::kFloat8E4m3fn},
      {at::kFloat8_e5m2, Dtype::kFloat8E5m2},
      {at::kComplexFloat, Dtype::kComplex64},
      {at::kComplexDouble, Dtype::kComplex128},
      {at::kComplexHalf, Dtype::kUnknown},
      {at::kFloat8_e5m2fnuz, Dtype::kUnknown}};
  for (const auto& [type, dtype] : types) {
    const Watch watch;
    const at::Tensor made = at::zeros({2}, type);
    const ToldOp op = watch.Only("aten::zeros");
    ASSERT_THAT(op.tensors, SizeIs(1)) << type;
    EXPECT_EQ(op.tensors[0].told.dtype, static_cast<std::uint32_t>(dtype)) << type;
    EXPECT_EQ(op.tensors[0].told.item_bytes, made.element_size()) << type;
  }
}

TEST(Tensors, AScalarHasNoDimensionsAndAnEmptyOneNoAddress) {
  const at::Tensor a = at::rand({2});
  const Watch watch;
  const at::Tensor sum = a.sum(), none = at::zeros({0, 3});
  const ToldOp made = watch.Only("aten::zeros");
  ASSERT_THAT(made.tensors, SizeIs(1));
  EXPECT_EQ(made.tensors[0].told.address, 0u);
  EXPECT_EQ(made.tensors[0].sizes, (std::vector<std::int64_t>{0, 3}));
  const ToldOp op = watch.Only("aten::sum");
  ASSERT_THAT(op.tensors, SizeIs(1));
  EXPECT_EQ(op.tensors[0].told.dimensions, 0u);
}

TEST(Tensors, MetaTensorsAreNotTold) {
  const at::Tensor a = at::rand({2, 2}, at::kMeta);
  const Watch watch;
  const at::Tensor sum = at::add(a, a);
  a.add_(1);
  ExpectNoTensors(watch);
}

TEST(Tensors, SparseTensorsAreNotTold) {
  const at::Tensor a = at::eye(3).to_sparse(), b = at::eye(3).to_sparse_csr();
  {
    const Watch watch;
    const at::Tensor sum = at::add(a, a);
    ASSERT_THAT(watch.Ops(), testing::Not(IsEmpty()));
    EXPECT_THAT(watch.Ops()[0].tensors, IsEmpty());
  }
  const Watch watch;
  const at::Tensor twice = at::mul(b, b);
  EXPECT_THAT(watch.Ops()[0].tensors, IsEmpty());
}

TEST(Tensors, NestedTensorsAreNotTold) {
  const at::Tensor nested =
      at::_nested_tensor_from_tensor_list({at::rand({2, 3}), at::rand({4, 3})});
  const Watch watch;
  const at::Tensor positive = at::relu(nested);
  // The first; inside it stands one of the tensor that holds all parts.
  EXPECT_EQ(watch.Ops().at(0).name, "aten::relu");
  EXPECT_THAT(watch.Ops().at(0).tensors, IsEmpty());
}

TEST(Tensors, WhatStandsForZerosWithoutMemoryIsNotTold) {
  const Watch watch;
  const at::Tensor zeros = at::_efficientzerotensor({3}, at::TensorOptions(at::kFloat));
  EXPECT_THAT(watch.Only("aten::_efficientzerotensor").tensors, IsEmpty());
}

TEST(Tensors, FunctionalTensorsAreNotTold) {
  const at::Tensor wrapped = at::functionalization::impl::to_functional_tensor(at::rand({2}));
  const Watch watch;
  const at::Tensor copy = wrapped.clone();
  for (const ToldOp& op : watch.Ops()) EXPECT_TRUE(op.ended) << op.name;
  EXPECT_THAT(watch.Ops().at(0).tensors, IsEmpty());
}

TEST(Tensors, UndefinedArgumentsDoNoHarm) {
  const at::Tensor a = at::rand({2, 3});
  const Watch watch;
  const auto result = at::native_layer_norm(a, {3}, at::Tensor(), at::Tensor(), 1e-5);
  const ToldOp op = watch.Only("aten::native_layer_norm");
  EXPECT_THAT(op.tensors, SizeIs(3));
}

TEST(Tensors, MemorySharedUntilWrittenStaysShared) {
  const at::Tensor a = at::rand({4});
  const Watch watch;
  const at::Tensor lazy = at::_lazy_clone(a), sum = at::add(lazy, 1);
  const c10::StorageImpl* memory =
      lazy.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
  EXPECT_TRUE(c10::impl::cow::is_cow_data_ptr(memory->data_ptr()));
  EXPECT_THAT(watch.Only("aten::add.Scalar").tensors, SizeIs(1));
}

}  // namespace
}  // namespace graphtap::adapter_test
