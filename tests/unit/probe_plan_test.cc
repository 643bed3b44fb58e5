// What a specification selects of a graph's nodes, and what of it is refused.
#include "interpose/probe/plan.h"

#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "interpose/record/op_records.h"

namespace graphtap::probe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Rules = std::vector<std::uint32_t>;

constexpr std::uint64_t kA = 0x7f0000000000, kB = kA + 4096, kC = kA + 8192;
constexpr std::uint64_t kHidden = 0x10000;  // no kernel may read it

// A graph key "step#0" and two kernels, add of function 0 and scale of function 1.
class ProbePlanTest : public testing::Test {
 protected:
  record::Node& Add(std::uint32_t kind, std::uint32_t position,
                    std::optional<std::uint32_t> parent = {}) {
    record::Node& node = nodes_.emplace_back();
    node.index = static_cast<std::uint32_t>(nodes_.size() - 1);
    node.position = position;
    node.parent = parent;
    node.parameters.kind = kind;
    return node;
  }

  // A kernel whose pointer arguments 0, 1, … lead to 64 bytes each.
  record::Node& AddKernel(std::uint32_t function, const std::vector<std::uint64_t>& addresses) {
    record::Node& node = Add(CU_GRAPH_NODE_TYPE_KERNEL, static_cast<std::uint32_t>(nodes_.size()));
    node.parameters.kernel.emplace().function = record::FunctionId{function};
    for (const std::uint64_t address : addresses) {
      record::Operand& operand = node.parameters.operands.emplace_back();
      operand.parameter = static_cast<std::uint32_t>(node.parameters.operands.size() - 1);
      operand.address = address;
      operand.extent = 64;
    }
    return node;
  }

  // The node's op is "aten::add.Tensor" inside "step", the second of its name; it gave `output` and
  // wrote `written` (64 bytes each), float16.
  void SetOp(record::Node* node, std::uint64_t output, std::uint64_t written) {
    static constexpr record::StringId kStep{70}, kAdd{71}, kForward{72};
    scopes_ = {{kStep, "step"}, {kAdd, "aten::add.Tensor"}, {kForward, "forward"}};
    std::vector<record::Op> ops(2);
    ops[0] = {.kind = record::OpKind::kComposite, .name = kStep};
    ops[1] = {.name = kAdd, .scope = kForward, .invocation = 1, .parent = 0, .tensors = {{}, {}}};
    node->op = 1;
    node->ops = std::make_shared<const std::vector<record::Op>>(ops);
    for (const auto role : {record::Role::kOutput, record::Role::kInput}) {
      record::Operand& operand = node->parameters.operands.emplace_back();
      operand.role = role;
      operand.parameter = role == record::Role::kOutput ? 0 : 2;
      operand.address = role == record::Role::kOutput ? output : written;
      operand.extent = 64;
      operand.exact = true;
      operand.grade = record::Grade::kOp;
      operand.dtype = static_cast<std::uint32_t>(Dtype::kFloat16);
      operand.strided = false;
    }
  }

  Plan Make(std::string_view text) {
    std::string error;
    const auto specification = spec::ParseSpecification(text, &error);
    EXPECT_TRUE(specification) << error;
    PlanSource source;
    source.graph_key = "step#0";
    source.kernel = [this](record::FunctionId id) -> const KernelNames& {
      return names_.at(static_cast<std::size_t>(id));
    };
    source.text = [this](record::StringId id) { return scopes_.at(id); };
    source.readable = [](std::uint64_t address, std::uint64_t) { return address != kHidden; };
    source.watch = [](const std::string& name, std::uint32_t invocation) {
      return std::make_shared<values::Watched>(values::Watched{"step#0", name, invocation});
    };
    source.needs_bytes = [this](const values::Watched&, const auto&) { return needs_bytes_; };
    source.graph_bytes = [this](std::uint32_t, std::uint64_t address) {
      const auto found = graph_bytes_.find(address);
      return found == graph_bytes_.end() ? std::nullopt : std::optional(found->second);
    };
    return MakePlan(*specification, nodes_, source);
  }

  // The nodes of the sites.
  std::vector<std::uint32_t> NodesOf(std::string_view text) {
    std::vector<std::uint32_t> nodes;
    for (const PlannedSite& site : Make(text).sites) nodes.push_back(site.node);
    return nodes;
  }

  std::vector<record::Node> nodes_;
  std::vector<KernelNames> names_ = {
      {"_Z3addPfPKfS1_", "add(float*, float const*, float const*)", "add"},
      {"_ZN1a5scaleEP6__halfPKdPx", "a::scale(__half*, double const*, long long*)", "a::scale"}};
  std::map<record::StringId, std::string> scopes_;
  bool needs_bytes_ = true;
  std::map<std::uint64_t, std::uint64_t> graph_bytes_;  // by address
};

TEST_F(ProbePlanTest, WhatIsPrintedOrCheckedHasAName) {
  AddKernel(0, {kA, kB});
  AddKernel(0, {kA, kC});
  const Plan plan = Make("kernel:add.arg1=print; kernel:add.arg0=copy:16");
  ASSERT_EQ(plan.sites.size(), 4u);
  EXPECT_EQ(plan.sites[0].watched, nullptr);
  EXPECT_FALSE(plan.sites[0].hash);
  EXPECT_EQ(plan.sites[0].fetched_bytes(), 16u);
  ASSERT_NE(plan.sites[3].watched, nullptr);
  EXPECT_EQ(plan.sites[3].watched->Key(), "step#0/add.arg1[1]");
  EXPECT_TRUE(plan.sites[3].hash);
  EXPECT_EQ(plan.sites[3].copy_bytes, 0u);
  EXPECT_EQ(plan.sites[3].fetched_bytes(), 64u);
  needs_bytes_ = false;
  const Plan hashes = Make("kernel:add.arg1=check:x+copy:8");
  ASSERT_EQ(hashes.sites.size(), 2u);
  EXPECT_TRUE(hashes.sites[1].hash);
  EXPECT_EQ(hashes.sites[1].fetched_bytes(), 8u);
}

TEST_F(ProbePlanTest, AnOperatorsTensorsStandForItsNodes) {
  SetOp(&AddKernel(0, {kA, kB}), kB, kC);
  AddKernel(1, {kA});
  for (const char* text : {"all=hash", "op:aten::add=hash; node:*/1=hash"}) {
    const Plan plan = Make(text);
    ASSERT_EQ(plan.sites.size(), 3u) << text;
    EXPECT_EQ(plan.sites[0].role, record::Role::kOutput) << text;
    EXPECT_EQ(plan.sites[0].address, kB) << text;
    EXPECT_EQ(plan.sites[0].dtype, Dtype::kFloat16) << text;
    EXPECT_TRUE(plan.sites[0].exact) << text;
    EXPECT_EQ(plan.sites[1].role, record::Role::kInput) << text;
    EXPECT_EQ(plan.sites[2].role, record::Role::kArgument) << text;
    EXPECT_EQ(plan.sites[2].node, 1u) << text;
  }
  EXPECT_EQ(Make("kernel:*=hash").sites.size(), 3u);
  EXPECT_EQ(Make("all.arg0=hash").sites.size(), 2u);
}

TEST_F(ProbePlanTest, OperatorsAreSelectedByNameAndByWhatIsAround) {
  SetOp(&AddKernel(0, {kA}), kB, kC);
  AddKernel(0, {kA});
  for (const char* text : {"op:aten::add", "op:aten::add.Tensor", "op:step", "op:aten::*"}) {
    EXPECT_THAT(NodesOf(text), ElementsAre(0u, 0u)) << text;
  }
  for (const char* text : {"op:add", "op:aten", "op:aten::add.out", "op:add.arg0"}) {
    EXPECT_THAT(NodesOf(text), IsEmpty()) << text;
  }
  EXPECT_EQ(Make("op:step.out0").sites.at(0).address, kB);
  EXPECT_EQ(Make("op:step.in2").sites.at(0).address, kC);
  EXPECT_THAT(NodesOf("op:step.in0"), IsEmpty());
  const Plan plan = Make("op:aten::add.Tensor.in2=print");
  EXPECT_EQ(plan.sites.at(0).watched->Key(), "step#0/forward/aten::add.Tensor.in2[1]");
}

// Two backward nodes, into which one tensor flows: it has two names.
TEST_F(ProbePlanTest, GradientsAreSitesOfTheirOwn) {
  record::Node& node = AddKernel(0, {kA});
  scopes_ = {{record::StringId{70}, "aten::linear"}, {record::StringId{71}, "MmBackward0"}};
  std::vector<record::Op> ops(2);
  for (record::Op& op : ops) op.gradient = record::Gradient{{record::StringId{71}}};
  ops[0].gradient->names.insert(ops[0].gradient->names.begin(), record::StringId{70});
  ops[0].gradient->invocation = 4;
  node.ops = std::make_shared<const std::vector<record::Op>>(ops);
  for (const std::uint32_t op : {0, 1}) {
    record::Operand& operand = node.parameters.operands.emplace_back();
    operand.role = record::Role::kGradient;
    operand.parameter = 0;
    operand.address = kB;
    operand.extent = 64;
    operand.grade = record::Grade::kOp;
    operand.dtype = static_cast<std::uint32_t>(Dtype::kFloat16);
    operand.op = op;
  }
  const Plan plan = Make("grad:MmBackward0=print");
  ASSERT_EQ(plan.sites.size(), 2u);
  EXPECT_EQ(plan.sites[0].watched->Key(), "step#0/aten::linear.grad0[4]");
  EXPECT_EQ(plan.sites[1].watched->Key(), "step#0/MmBackward0.grad0[0]");
  EXPECT_EQ(plan.sites[1].dtype, Dtype::kFloat16);
  EXPECT_THAT(NodesOf("grad:aten::linear"), ElementsAre(0u));
  EXPECT_THAT(NodesOf("op:aten::linear.grad0"), ElementsAre(0u));
  EXPECT_EQ(Make("all").sites.size(), 1u) << "the argument";
}

TEST_F(ProbePlanTest, ATensorWithGapsIsRefused) {
  SetOp(&AddKernel(0, {kA}), kB, kC);
  nodes_[0].parameters.operands[1].strided = true;
  const Plan plan = Make("op:*=hash");
  ASSERT_EQ(plan.refused.size(), 1u);
  EXPECT_EQ(plan.refused[0].reason, Skip::site_strided);
  EXPECT_EQ(plan.sites.size(), 1u);
}

TEST_F(ProbePlanTest, EachPointerIsASiteInTheOrderOfNodesAndOperands) {
  AddKernel(0, {kB, kA});
  AddKernel(1, {kC}).parameters.operands[0].exact = true;
  const Plan plan = Make("all=hash");
  ASSERT_EQ(plan.sites.size(), 3u);
  EXPECT_EQ(plan.sites[0].address, kB);
  EXPECT_EQ(plan.sites[1].address, kA);
  EXPECT_EQ(plan.sites[1].operand, 1u);
  EXPECT_EQ(plan.sites[1].parameter, 1u);
  EXPECT_EQ(plan.sites[1].bytes, 64u);
  EXPECT_FALSE(plan.sites[1].exact);
  EXPECT_EQ(plan.sites[2].node, 1u);
  EXPECT_TRUE(plan.sites[2].exact);
  EXPECT_THAT(plan.refused, IsEmpty());
}

TEST_F(ProbePlanTest, RulesAddUp) {
  AddKernel(0, {kA});
  AddKernel(1, {kB});
  const Plan plan = Make("kernel:add=hash+copy:8; all=copy:16; kernel:*scale=digest; scope:x=hash");
  ASSERT_EQ(plan.sites.size(), 2u);
  EXPECT_TRUE(plan.sites[0].hash);
  EXPECT_FALSE(plan.sites[0].digest);
  EXPECT_EQ(plan.sites[0].copy_bytes, 16u);
  EXPECT_EQ(plan.sites[0].rules, (Rules{0, 1}));
  EXPECT_FALSE(plan.sites[1].hash);
  EXPECT_TRUE(plan.sites[1].digest);
  EXPECT_EQ(plan.sites[1].copy_bytes, 16u);
  EXPECT_EQ(plan.sites[1].rules, (Rules{1, 2}));
}

TEST_F(ProbePlanTest, ACopyEndsWithItsSite) {
  AddKernel(0, {kA});
  EXPECT_EQ(Make("all=copy:63").sites[0].copy_bytes, 63u);
  EXPECT_EQ(Make("all=copy:65").sites[0].copy_bytes, 64u);
  EXPECT_EQ(Make("all=copy").sites[0].copy_bytes, 64u);
  EXPECT_EQ(Make("all=copy:8; all=copy").sites[0].copy_bytes, 64u);
  EXPECT_EQ(Make("all=hash").sites[0].copy_bytes, 0u);
}

TEST_F(ProbePlanTest, NoneWinsWhereverItStands) {
  AddKernel(0, {kA, 0});
  AddKernel(1, {kB});
  nodes_[0].parameters.operands[1].extent = 0;
  for (const char* text : {"kernel:add=none; all=hash", "all=hash; kernel:add=none"}) {
    const Plan plan = Make(text);
    ASSERT_EQ(plan.sites.size(), 1u) << text;
    EXPECT_EQ(plan.sites[0].node, 1u) << text;
    EXPECT_THAT(plan.refused, IsEmpty()) << "nobody asked for it: " << text;
  }
}

TEST_F(ProbePlanTest, ARuleMayMeanOneOperand) {
  AddKernel(0, {kA, kB, kC});
  Plan plan = Make("kernel:add.arg1=hash");
  ASSERT_EQ(plan.sites.size(), 1u);
  EXPECT_EQ(plan.sites[0].address, kB);
  plan = Make("all=hash; kernel:add.arg1=none");
  ASSERT_EQ(plan.sites.size(), 2u);
  EXPECT_EQ(plan.sites[0].address, kA);
  EXPECT_EQ(plan.sites[1].address, kC);
}

TEST_F(ProbePlanTest, OnePlaceUnderTwoNamesIsObservedOnce) {
  AddKernel(0, {kA, kB, kA});
  const Plan plan = Make("kernel:add.arg0=hash; kernel:add.arg2=digest+copy:4; all=copy:2");
  ASSERT_EQ(plan.sites.size(), 2u);
  EXPECT_EQ(plan.sites[0].operand, 0u);
  EXPECT_TRUE(plan.sites[0].hash && plan.sites[0].digest);
  EXPECT_EQ(plan.sites[0].copy_bytes, 4u);
  EXPECT_THAT(plan.sites[0].rules, testing::UnorderedElementsAre(0u, 1u, 2u));
  EXPECT_EQ(plan.sites[1].address, kB);
  EXPECT_FALSE(plan.sites[1].hash || plan.sites[1].digest);
}

TEST_F(ProbePlanTest, PlacesDifferByNodeAddressAndExtent) {
  AddKernel(0, {kA, kA, kA + 8});
  nodes_[0].parameters.operands[1].extent = 32;
  AddKernel(0, {kA});
  EXPECT_EQ(Make("all=hash").sites.size(), 4u);
}

TEST_F(ProbePlanTest, WhatCannotBeReadIsRefusedByName) {
  AddKernel(0, {kA, kHidden, kC});
  nodes_[0].parameters.operands[2].extent = 0;
  const Plan plan = Make("kernel:none=hash; all=hash");
  ASSERT_EQ(plan.sites.size(), 1u);
  ASSERT_EQ(plan.refused.size(), 2u);
  EXPECT_EQ(plan.refused[0].reason, Skip::site_unreachable);
  EXPECT_EQ(plan.refused[0].operand, 1u);
  EXPECT_EQ(plan.refused[0].bytes, 64u);
  EXPECT_EQ(plan.refused[0].rules, Rules{1});
  EXPECT_EQ(plan.refused[1].reason, Skip::site_unknown_extent);
  EXPECT_EQ(plan.refused[1].operand, 2u);
}

TEST_F(ProbePlanTest, TheSignatureSaysTheType) {
  AddKernel(0, {kA});
  record::Node& scale = AddKernel(1, {kA, kB, kC, kC + 64});
  scale.parameters.operands[3].parameter = 0;
  scale.parameters.operands[3].offset = 8;  // inside a struct
  std::vector<Dtype> dtypes;
  for (const PlannedSite& site : Make("all=digest").sites) dtypes.push_back(site.dtype);
  EXPECT_THAT(dtypes, ElementsAre(Dtype::kFloat32, Dtype::kFloat16, Dtype::kFloat64, Dtype::kInt64,
                                  Dtype::kUnknown));
}

TEST_F(ProbePlanTest, NodesHaveThePathOfTheirPositions) {
  Add(CU_GRAPH_NODE_TYPE_GRAPH, 3);
  Add(CU_GRAPH_NODE_TYPE_GRAPH, 1, 0);
  AddKernel(0, {kA}).parent = 1;  // position 2
  AddKernel(0, {kA}).parent = 0;  // position 3
  AddKernel(0, {kA});             // position 4
  EXPECT_THAT(NodesOf("node:step#0/3/1/2=hash"), ElementsAre(2u));
  EXPECT_THAT(NodesOf("node:step#0/3/3=hash"), ElementsAre(3u));
  EXPECT_THAT(NodesOf("node:step#0/4=hash"), ElementsAre(4u));
  EXPECT_THAT(NodesOf("node:step#0/2=hash"), IsEmpty());
  EXPECT_THAT(NodesOf("node:step#1/4=hash"), IsEmpty());
}

TEST_F(ProbePlanTest, ScopesSelectWhatIsInside) {
  scopes_ = {{record::StringId{7}, "forward/attention"}, {record::StringId{0}, "forward2"}};
  AddKernel(0, {kA}).scope = record::StringId{7};
  AddKernel(0, {kA}).scope = record::StringId{0};
  AddKernel(0, {kA});
  EXPECT_THAT(NodesOf("scope:forward=hash"), ElementsAre(0u));
  EXPECT_THAT(NodesOf("scope:forward/attention=hash"), ElementsAre(0u));
  EXPECT_THAT(NodesOf("scope:forward?=hash"), ElementsAre(1u));
  EXPECT_THAT(NodesOf("scope:attention=hash"), IsEmpty());
}

TEST_F(ProbePlanTest, CopiesAndFillsAreNamedByTheirRoles) {
  record::Node& copy = Add(CU_GRAPH_NODE_TYPE_MEMCPY, 0);
  copy.parameters.operands.resize(2);
  copy.parameters.operands[0] = {record::Role::kDestination, {}, {}, kA, {}, 64, true, false};
  copy.parameters.operands[1] = {record::Role::kSource, {}, {}, kB, {}, 64, true, false};
  record::Node& fill = Add(CU_GRAPH_NODE_TYPE_MEMSET, 1);
  fill.parameters.operands = {{record::Role::kDestination, {}, {}, kC, {}, 64, true, false}};
  record::Node& host = Add(CU_GRAPH_NODE_TYPE_HOST, 2);
  host.parameters.operands = nodes_[1].parameters.operands;
  EXPECT_EQ(Make("node:memcpy.src=hash").sites.at(0).address, kB);
  EXPECT_THAT(NodesOf("node:memset=hash"), ElementsAre(1u));
  const Plan plan = Make("all.dst=hash");
  ASSERT_EQ(plan.sites.size(), 2u) << "a host node has nothing to observe";
  EXPECT_EQ(plan.sites[0].address, kA);
  EXPECT_EQ(plan.sites[0].role, record::Role::kDestination);
  EXPECT_EQ(plan.sites[1].address, kC);
  EXPECT_EQ(plan.sites[1].dtype, Dtype::kUnknown);
}

TEST_F(ProbePlanTest, MemoryOfTheGraphIsReadAsFarAsItIsThere) {
  AddKernel(0, {kHidden, kA, kB});
  graph_bytes_ = {{kHidden, 16}, {kA, 0}};
  const Plan plan = Make("all=hash");
  ASSERT_EQ(plan.sites.size(), 2u);
  EXPECT_EQ(plan.sites[0].address, kHidden) << "nobody else is asked";
  EXPECT_EQ(plan.sites[0].bytes, 16u);
  EXPECT_EQ(plan.sites[1].bytes, 64u);
  ASSERT_EQ(plan.refused.size(), 1u);
  EXPECT_EQ(plan.refused[0].reason, Skip::site_unreachable);
}

TEST_F(ProbePlanTest, SomeGraphsCannotBeCloned) {
  AddKernel(0, {kA});
  EXPECT_EQ(WhyUncloned(nodes_, 0), std::nullopt);
  EXPECT_EQ(WhyUncloned(nodes_, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH), std::nullopt);
  EXPECT_EQ(WhyUncloned(nodes_, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH), Skip::device_launch);
  const std::pair<std::uint32_t, Skip> kinds[] = {
      {CU_GRAPH_NODE_TYPE_MEM_ALLOC, Skip::allocation_nodes},
      {CU_GRAPH_NODE_TYPE_MEM_FREE, Skip::allocation_nodes},
      {CU_GRAPH_NODE_TYPE_CONDITIONAL, Skip::conditional_nodes}};
  for (const auto& [kind, reason] : kinds) {
    Add(kind, 1);
    EXPECT_EQ(WhyUncloned(nodes_, 0), reason) << kind;
    EXPECT_EQ(WhyUnprobed(nodes_, 0), std::nullopt) << kind;
    nodes_.pop_back();
  }
}

TEST_F(ProbePlanTest, SomeGraphsCannotBeProbedAtAll) {
  AddKernel(0, {kA});
  Add(CU_GRAPH_NODE_TYPE_MEM_ALLOC, 1);
  EXPECT_EQ(WhyUnprobed(nodes_, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH), Skip::device_launch);
  nodes_[0].parameters.kernel->attributes = {{CU_LAUNCH_ATTRIBUTE_PRIORITY, 1, {}}};
  EXPECT_EQ(WhyUnprobed(nodes_, 0), std::nullopt);
  nodes_[0].parameters.kernel->attributes = {
      {CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 1, {}}};
  EXPECT_EQ(WhyUnprobed(nodes_, 0), Skip::device_updatable);
  EXPECT_EQ(WhyUncloned(nodes_, 0), Skip::device_updatable);
}

}  // namespace
}  // namespace graphtap::probe
