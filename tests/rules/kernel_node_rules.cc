// What is read back from kernel nodes and functions: names, parameter layouts, arguments.
#include <array>
#include <cstring>

#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

struct AddArguments {
  CUdeviceptr data;
  int count;
  int value;
};

CUDA_KERNEL_NODE_PARAMS ReadBack(CUgraph graph) {
  CUDA_KERNEL_NODE_PARAMS parameters{};
  Must(cuGraphKernelNodeGetParams(Nodes(graph).at(0), &parameters));
  return parameters;
}

class KernelNodeRules : public EachMode {
 protected:
  // A captured launch that gives its arguments packed.
  Graph CapturePacked(AddArguments arguments) {
    size_t size = sizeof(arguments);
    std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments,
                               CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    const CUfunction function = AddTo();
    Graph graph;
    Must(cuStreamBeginCapture(stream_, GetParam()));
    Must(
        cuLaunchKernel(function, 1, 1, 1, Buffer::kCount, 1, 1, 0, stream_, nullptr, extra.data()));
    Must(cuStreamEndCapture(stream_, graph.Out()));
    return graph;
  }

  Buffer sums_;
};

TEST_P(KernelNodeRules, ArgumentsGivenOneByOneAreReadBackOneByOne) {
  const Graph graph = CaptureAdds(stream_, GetParam(), sums_, {42});
  const CUDA_KERNEL_NODE_PARAMS parameters = ReadBack(graph);
  ASSERT_NE(parameters.kernelParams, nullptr);
  EXPECT_EQ(parameters.extra, nullptr);
  EXPECT_EQ(*static_cast<CUdeviceptr*>(parameters.kernelParams[0]), sums_.address());
  EXPECT_EQ(*static_cast<int*>(parameters.kernelParams[1]), Buffer::kCount);
  EXPECT_EQ(*static_cast<int*>(parameters.kernelParams[2]), 42);
}

TEST_P(KernelNodeRules, ArgumentsGivenPackedAreReadBackPacked) {
  const Graph graph = CapturePacked({sums_.address(), Buffer::kCount, 42});
  const CUDA_KERNEL_NODE_PARAMS parameters = ReadBack(graph);
  EXPECT_EQ(parameters.kernelParams, nullptr);
  ASSERT_NE(parameters.extra, nullptr);
  AddArguments seen{};
  size_t size = 0;
  for (void** word = parameters.extra; *word != CU_LAUNCH_PARAM_END; word += 2) {
    if (word[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) std::memcpy(&seen, word[1], sizeof(seen));
    if (word[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<size_t*>(word[1]);
  }
  EXPECT_EQ(size, sizeof(seen));
  EXPECT_EQ(seen.data, sums_.address());
  EXPECT_EQ(seen.value, 42);
  Replay(Instantiate(graph), stream_);
  EXPECT_EQ(sums_.First(), 42);
}

TEST_P(KernelNodeRules, ANodeOfALibrarysKernelNamesItByFunctionAndByKernelHandle) {
  const Graph graph = CaptureAdds(stream_, GetParam(), sums_, {1});
  const CUDA_KERNEL_NODE_PARAMS parameters = ReadBack(graph);
  EXPECT_EQ(parameters.func, AddTo());
  const char* name = nullptr;
  Must(cuFuncGetName(&name, parameters.func));
  EXPECT_STREQ(name, "_Z11rule_add_toPiii");
  Must(cuKernelGetName(&name, parameters.kern));
  EXPECT_STREQ(name, "_Z11rule_add_toPiii");
}

TEST_P(KernelNodeRules, TheShapeIsReadBack) {
  const Graph graph = CaptureAdds(stream_, GetParam(), sums_, {1});
  const CUDA_KERNEL_NODE_PARAMS parameters = ReadBack(graph);
  EXPECT_EQ(parameters.gridDimX, 1U);
  EXPECT_EQ(parameters.blockDimX, static_cast<unsigned>(Buffer::kCount));
  EXPECT_EQ(parameters.blockDimZ, 1U);
  EXPECT_EQ(parameters.sharedMemBytes, 0U);
}

RULES_FOR_EACH_MODE(KernelNodeRules);

TEST_P(KernelNodeRules, ADeviceUpdatableNodeTellsThatItIs) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  attribute.value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  Graph graph;
  Must(cuStreamBeginCapture(stream_, GetParam()));
  LaunchAddWith(stream_, sums_, 1, attribute);
  LaunchAdd(stream_, sums_, 1);
  Must(cuStreamEndCapture(stream_, graph.Out()));
  const auto nodes = Nodes(graph);
  ASSERT_EQ(nodes.size(), 2U);
  for (size_t i = 0; i < nodes.size(); ++i) {
    CUlaunchAttributeValue told{};
    ASSERT_EQ(cuGraphKernelNodeGetAttribute(nodes[i], attribute.id, &told), CUDA_SUCCESS);
    EXPECT_EQ(told.deviceUpdatableKernelNode.deviceUpdatable, i == 0 ? 1 : 0) << "node " << i;
  }
}

class FunctionRules : public RuleTest {};

TEST_F(FunctionRules, ParametersHaveOffsetsAndSizesAndTheListEndsWithInvalidValue) {
  const std::array<std::pair<size_t, size_t>, 4> expected{
      {{0, sizeof(char)}, {8, sizeof(double)}, {16, sizeof(Packet)}, {48, sizeof(int*)}}};
  const CUfunction function = Mixed();
  size_t offset = 0, size = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(cuFuncGetParamInfo(function, i, &offset, &size), CUDA_SUCCESS);
    EXPECT_EQ(offset, expected[i].first) << "parameter " << i;
    EXPECT_EQ(size, expected[i].second) << "parameter " << i;
  }
  EXPECT_EQ(cuFuncGetParamInfo(function, expected.size(), &offset, &size),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FunctionRules, ThePointerArgumentsOfAskingForParametersMayBeLeftOut) {
  size_t offset = 0;
  EXPECT_EQ(cuFuncGetParamInfo(Mixed(), 1, &offset, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(offset, 8U);
}

TEST_F(FunctionRules, NamesAreMangled) {
  const char* name = nullptr;
  Must(cuFuncGetName(&name, Mixed()));
  EXPECT_STREQ(name, "_Z10rule_mixedcdN5rules6PacketEPi");
}

}  // namespace
}  // namespace rules
