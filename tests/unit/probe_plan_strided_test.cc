// What is planned of operators' tensors that do not lie in C order.
#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpose/probe/plan.h"
#include "interpose/record/op_records.h"

namespace graphtap::probe {
namespace {

using testing::IsEmpty;
using Numbers = std::vector<std::int64_t>;

constexpr std::uint64_t kA = 0x7f0000000000;

// One kernel of an operator that gives tensors of float16.
class ProbePlanStridedTest : public testing::Test {
 protected:
  ProbePlanStridedTest() {
    node_.parameters.kind = CU_GRAPH_NODE_TYPE_KERNEL;
    node_.parameters.kernel.emplace();
    node_.op = 0;
    node_.ops = std::make_shared<const std::vector<record::Op>>(
        std::vector<record::Op>{{.tensors = {record::Tensor{}}}});
  }

  void Give(std::uint64_t address, const Numbers& sizes, const Numbers& strides, bool strided) {
    record::Tensor tensor;
    tensor.address = address;
    tensor.bytes = 2;
    for (const std::int64_t size : sizes) tensor.bytes *= static_cast<std::uint64_t>(size);
    tensor.sizes = sizes;
    tensor.strides = strides;
    record::Operand& operand = node_.parameters.operands.emplace_back();
    operand.role = record::Role::kOutput;
    operand.parameter = static_cast<std::uint32_t>(node_.parameters.operands.size() - 1);
    operand.address = address;
    operand.extent = tensor.bytes;
    operand.exact = true;
    operand.grade = record::Grade::kOp;
    operand.dtype = static_cast<std::uint32_t>(Dtype::kFloat16);
    operand.strided = strided;
    operand.tensor = std::make_shared<const record::Tensor>(std::move(tensor));
  }

  Plan Make(std::string_view text) {
    std::string error;
    const auto specification = spec::ParseSpecification(text, &error);
    EXPECT_TRUE(specification) << error;
    PlanSource source;
    source.kernel = [this](record::FunctionId) -> const KernelNames& { return names_; };
    source.text = [](record::StringId) { return "aten::t"; };
    source.readable = [this](std::uint64_t address, std::uint64_t bytes) {
      asked_ = {address, bytes};
      return readable_;
    };
    source.graph_bytes = [this](std::uint32_t, std::uint64_t) { return graph_bytes_; };
    return MakePlan(*specification, std::span(&node_, 1), source);
  }

  record::Node node_;
  const KernelNames names_{"copy", "copy", "copy"};
  bool readable_ = true;
  Memory asked_;
  std::optional<std::uint64_t> graph_bytes_;
};

TEST_F(ProbePlanStridedTest, ATensorWithGapsIsReadInCOrder) {
  Give(kA, {5, 3}, {1, 10}, true);
  Give(kA, {5, 3}, {3, 1}, false);
  const Plan plan = Make("op:*=digest+copy");
  ASSERT_EQ(plan.sites.size(), 2u);
  EXPECT_FALSE(plan.sites[1].strided());
  ASSERT_TRUE(plan.sites[0].strided());
  EXPECT_EQ(plan.sites[0].shape, (Shape{2, {{5, 2}, {3, 20}}}));
  EXPECT_EQ(plan.sites[0].bytes, 30u) << "of the elements";
  EXPECT_EQ(plan.sites[0].copy_bytes, 30u);
  EXPECT_EQ(plan.sites[0].memory().bytes, 2u * (4 + 20 + 1)) << "from the first to the last";
  EXPECT_EQ(plan.sites[0].dtype, Dtype::kFloat16);
}

TEST_F(ProbePlanStridedTest, AllMemoryFromTheFirstElementToTheLastMustBeThere) {
  Give(kA, {2, 3}, {2000, 0}, true);
  EXPECT_EQ(Make("op:*=hash").sites.size(), 1u);
  EXPECT_EQ(asked_.address, kA);
  EXPECT_EQ(asked_.bytes, 4002u);
  readable_ = false;
  EXPECT_EQ(Make("op:*=hash").refused.at(0).reason, Skip::site_unreachable);
  graph_bytes_ = 4002;
  EXPECT_EQ(Make("op:*=hash").sites.at(0).bytes, 12u) << "the graph's own memory";
  graph_bytes_ = 4001;
  EXPECT_EQ(Make("op:*=hash").refused.at(0).reason, Skip::site_unreachable);
}

TEST_F(ProbePlanStridedTest, ATensorAndItsTransposeAreTwoSites) {
  Give(kA, {4, 8}, {8, 1}, false);
  Give(kA, {4, 8}, {1, 4}, true);
  EXPECT_EQ(Make("op:*=hash").sites.size(), 2u);
  Give(kA, {4, 8}, {1, 4}, true);
  Give(kA, {4, 8}, {8, 1}, false);
  EXPECT_EQ(Make("op:*=hash").sites.size(), 2u) << "each seen once";
}

TEST_F(ProbePlanStridedTest, ATensorOfTooManyDimensionsIsRefused) {
  Give(kA, Numbers(9, 2), {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536}, true);
  const Plan plan = Make("op:*=hash");
  EXPECT_THAT(plan.sites, IsEmpty());
  ASSERT_EQ(plan.refused.size(), 1u);
  EXPECT_EQ(plan.refused[0].reason, Skip::site_strided);
  EXPECT_EQ(plan.refused[0].bytes, 1024u);
}

}  // namespace
}  // namespace graphtap::probe
