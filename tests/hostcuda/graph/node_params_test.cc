// Parameters of nodes: what is set can be read back, and is checked.
#include "tests/hostcuda/graph/graph_fixture.h"

namespace hostcuda::test {
namespace {

using NodeParamsTest = GraphTest;

TEST_F(NodeParamsTest, KernelArgumentsAreCopiesByParameter) {
  CUgraph graph = NewGraph();
  CUgraphNode node = AddKernel(graph, {}, 3);  // its Kernel is gone by now
  CUDA_KERNEL_NODE_PARAMS read{};
  ASSERT_EQ(cuGraphKernelNodeGetParams(node, &read), CUDA_SUCCESS);
  EXPECT_EQ(read.blockDimX, kFloats);
  EXPECT_EQ(read.extra, nullptr);
  ASSERT_NE(read.kernelParams, nullptr);
  EXPECT_EQ(*static_cast<CUdeviceptr*>(read.kernelParams[0]), buffer_);
  EXPECT_EQ(*static_cast<float*>(read.kernelParams[1]), 3.0f);

  auto changed = Add(4);
  ASSERT_EQ(cuGraphKernelNodeSetParams(node, &changed->params), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphKernelNodeGetParams(node, &read), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<float*>(read.kernelParams[1]), 4.0f);
  EXPECT_EQ(cuGraphKernelNodeSetParams(AddFill(graph, {}, 0), &changed->params),
            CUDA_ERROR_INVALID_VALUE);
  cuGraphDestroy(graph);
}

TEST_F(NodeParamsTest, KernelArgumentsGivenAsExtraAreReadAsExtra) {
  struct Packed {
    CUdeviceptr pointer;
    float value;
  } packed{buffer_, 5};
  size_t size = sizeof packed.pointer + sizeof packed.value;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  auto kernel = Add(0);
  kernel->params.kernelParams = nullptr;
  kernel->params.extra = extra;
  CUgraph graph = NewGraph();
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddKernelNode(&node, graph, nullptr, 0, &kernel->params), CUDA_SUCCESS);
  packed.value = 99;  // the node has its own copy

  CUDA_KERNEL_NODE_PARAMS read{};
  ASSERT_EQ(cuGraphKernelNodeGetParams(node, &read), CUDA_SUCCESS);
  EXPECT_EQ(read.kernelParams, nullptr);
  ASSERT_NE(read.extra, nullptr);
  EXPECT_EQ(read.extra[0], CU_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(static_cast<Packed*>(read.extra[1])->value, 5);
  EXPECT_EQ(*static_cast<size_t*>(read.extra[3]), size);
  CUgraphExec executable = Instantiate(graph);
  EXPECT_EQ(Run(executable), 5);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

TEST_F(NodeParamsTest, AttributesStayWhenParametersChange) {
  CUgraph graph = NewGraph();
  CUgraphNode node = AddKernel(graph, {}, 1);
  CUkernelNodeAttrValue value{};
  value.priority = -3;
  ASSERT_EQ(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGraphKernelNodeSetParams(node, &Add(2)->params), CUDA_SUCCESS);
  CUgraphNode copy = AddKernel(graph, {}, 1);
  ASSERT_EQ(cuGraphKernelNodeCopyAttributes(copy, node), CUDA_SUCCESS);
  CUgraph clone = Clone(graph);
  for (CUgraphNode kept : {node, copy, FindInClone(node, clone)}) {
    value.priority = 0;
    ASSERT_EQ(cuGraphKernelNodeGetAttribute(kept, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
              CUDA_SUCCESS);
    EXPECT_EQ(value.priority, -3);
  }
  cuGraphDestroy(clone);
  cuGraphDestroy(graph);
}

TEST_F(NodeParamsTest, OtherKindsReadBack) {
  CUgraph graph = NewGraph();
  CUgraphNode fill = AddFill(graph, {}, 7);
  CUDA_MEMSET_NODE_PARAMS fill_params{};
  ASSERT_EQ(cuGraphMemsetNodeGetParams(fill, &fill_params), CUDA_SUCCESS);
  EXPECT_EQ(fill_params.value, 7u);
  EXPECT_EQ(fill_params.width, kFloats);
  fill_params.elementSize = 3;
  EXPECT_EQ(cuGraphMemsetNodeSetParams(fill, &fill_params), CUDA_ERROR_INVALID_VALUE);

  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  CUgraphNode record = nullptr;
  CUgraphNode wait = nullptr;
  ASSERT_EQ(cuGraphAddEventRecordNode(&record, graph, nullptr, 0, event), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, event), CUDA_SUCCESS);
  CUevent read = nullptr;
  EXPECT_EQ(cuGraphEventRecordNodeGetEvent(record, &read), CUDA_SUCCESS);
  EXPECT_EQ(read, event);
  EXPECT_EQ(cuGraphEventWaitNodeGetEvent(wait, &read), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphEventWaitNodeGetEvent(record, &read), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphEventWaitNodeSetEvent(wait, nullptr), CUDA_ERROR_INVALID_HANDLE);
  cuGraphDestroy(graph);
}

TEST_F(NodeParamsTest, GenericNodesAreTheSameNodes) {
  CUgraph graph = NewGraph();
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_MEMSET;
  params.memset = {buffer_, 0, 0x40000000, sizeof(float), kFloats, 1, context_};
  CUgraphNode fill = nullptr;
  ASSERT_EQ(cuGraphAddNode(&fill, graph, nullptr, nullptr, 0, &params), CUDA_SUCCESS);
  auto kernel = Add(1);
  params = {};
  params.type = CU_GRAPH_NODE_TYPE_KERNEL;
  params.kernel.func = kernel->params.func;
  params.kernel.gridDimX = params.kernel.gridDimY = params.kernel.gridDimZ = 1;
  params.kernel.blockDimX = kFloats;
  params.kernel.blockDimY = params.kernel.blockDimZ = 1;
  params.kernel.kernelParams = kernel->arguments;
  CUgraphNode add = nullptr;
  ASSERT_EQ(cuGraphAddNode(&add, graph, &fill, nullptr, 1, &params), CUDA_SUCCESS);
  CUgraphExec executable = Instantiate(graph);
  EXPECT_EQ(Run(executable), 3);
  kernel->value = 2;
  EXPECT_EQ(cuGraphNodeSetParams(fill, &params), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphExecNodeSetParams(executable, add, &params), CUDA_SUCCESS);
  EXPECT_EQ(Run(executable), 4);
  params.reserved2 = 1;
  EXPECT_EQ(cuGraphAddNode(&add, graph, nullptr, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

}  // namespace
}  // namespace hostcuda::test
