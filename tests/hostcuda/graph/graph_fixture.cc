#include "tests/hostcuda/graph/graph_fixture.h"

#include <memory>

namespace hostcuda::test {
namespace {

void AddTwin(const Grid& grid, float* pointer, float value) {
  for (std::size_t i = 0; i < grid.Threads(); ++i) pointer[i] += value;
}

void HoldTwin(const Grid&) { hostcuda_wait_for_release(); }

void FaultTwin(const Grid&) { IllegalAccess(); }

const Twin kAdd("graph_test_add", &AddTwin);
const Twin kHold("graph_test_hold", &HoldTwin);
const Twin kFault("graph_test_fault", &FaultTwin);

CUDA_KERNEL_NODE_PARAMS Params(CUfunction function, unsigned threads) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function;
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = threads;
  params.blockDimY = params.blockDimZ = 1;
  return params;
}

}  // namespace

void GraphTest::SetUp() {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate(&context_, nullptr, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&other_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc(&buffer_, kFloats * sizeof(float)), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&module_, "graph_test_add graph_test_hold graph_test_fault"),
            CUDA_SUCCESS);
  Zero();
}

void GraphTest::TearDown() { EXPECT_EQ(cuCtxDestroy(context_), CUDA_SUCCESS); }

CUfunction GraphTest::Function(const char* name) const {
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module_, name), CUDA_SUCCESS);
  return function;
}

std::unique_ptr<GraphTest::Kernel> GraphTest::Add(float value) const {
  auto kernel = std::make_unique<Kernel>();
  kernel->params = Params(Function("graph_test_add"), kFloats);
  kernel->pointer = buffer_;
  kernel->value = value;
  kernel->arguments[0] = &kernel->pointer;
  kernel->arguments[1] = &kernel->value;
  kernel->params.kernelParams = kernel->arguments;
  return kernel;
}

CUDA_KERNEL_NODE_PARAMS GraphTest::Hold() const { return Params(Function("graph_test_hold"), 1); }

CUDA_KERNEL_NODE_PARAMS GraphTest::Fault() const { return Params(Function("graph_test_fault"), 1); }

CUgraph GraphTest::NewGraph() {
  CUgraph graph = nullptr;
  EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  return graph;
}

CUgraphNode GraphTest::AddKernel(CUgraph graph, const std::vector<CUgraphNode>& dependencies,
                                 float value) const {
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddKernelNode(&node, graph, dependencies.data(), dependencies.size(),
                                 &Add(value)->params),
            CUDA_SUCCESS);
  return node;
}

CUgraphNode GraphTest::AddFill(CUgraph graph, const std::vector<CUgraphNode>& dependencies,
                               unsigned bits) const {
  CUDA_MEMSET_NODE_PARAMS params{buffer_, 0, bits, sizeof(float), kFloats, 1};
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, dependencies.data(), dependencies.size(), &params,
                                 context_),
            CUDA_SUCCESS);
  return node;
}

CUgraphExec GraphTest::Instantiate(CUgraph graph) {
  CUgraphExec executable = nullptr;
  EXPECT_EQ(cuGraphInstantiate(&executable, graph, 0), CUDA_SUCCESS);
  return executable;
}

CUgraph GraphTest::Clone(CUgraph graph) {
  CUgraph clone = nullptr;
  EXPECT_EQ(cuGraphClone(&clone, graph), CUDA_SUCCESS);
  return clone;
}

CUgraphNode GraphTest::FindInClone(CUgraphNode original, CUgraph clone) {
  CUgraphNode found = nullptr;
  EXPECT_EQ(cuGraphNodeFindInClone(&found, original, clone), CUDA_SUCCESS);
  return found;
}

std::vector<CUgraphNode> GraphTest::NodesOf(CUgraph graph) {
  size_t count = 0;
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  std::vector<CUgraphNode> nodes(count);
  EXPECT_EQ(cuGraphGetNodes(graph, nodes.data(), &count), CUDA_SUCCESS);
  return nodes;
}

CUresult GraphTest::LaunchAdd(CUstream stream, float value) const {
  auto kernel = Add(value);
  return cuLaunchKernel(kernel->params.func, 1, 1, 1, kFloats, 1, 1, 0, stream, kernel->arguments,
                        nullptr);
}

float GraphTest::Run(CUgraphExec executable) const {
  Zero();
  EXPECT_EQ(cuGraphLaunch(executable, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  return First();
}

float GraphTest::First() const {
  float first = 0;
  EXPECT_EQ(cuMemcpyDtoH(&first, buffer_, sizeof first), CUDA_SUCCESS);
  return first;
}

void GraphTest::Zero() const {
  EXPECT_EQ(cuMemsetD32(buffer_, 0, kFloats), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

}  // namespace hostcuda::test
