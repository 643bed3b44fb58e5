// Graphs that allocate and free memory: what their nodes do, and what such a graph may not.
#include "tests/rules/rules.h"

namespace rules {
namespace {

constexpr std::size_t kBytes = Buffer::kCount * sizeof(int);

CUgraphNodeParams AllocationParameters() {
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  parameters.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  parameters.alloc.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  parameters.alloc.bytesize = kBytes;
  return parameters;
}

CUgraphNodeType TypeOf(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  Must(cuGraphNodeGetType(node, &type));
  return type;
}

// A graph that allocates, fills what it allocated, and copies it out.
struct Allocating {
  explicit Allocating(const Buffer& out, unsigned value) {
    CUgraphNodeParams parameters = AllocationParameters();
    Must(cuGraphAddNode(&allocate, graph, nullptr, nullptr, 0, &parameters));
    address = parameters.alloc.dptr;
    CUDA_MEMSET_NODE_PARAMS fills = FillParameters(out, value);
    fills.dst = address;
    Must(cuGraphAddMemsetNode(&fill, graph, &allocate, 1, &fills, CurrentContext()));
    CUDA_MEMCPY3D copies = CopyParameters(out, out);
    copies.srcDevice = address;
    Must(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &copies, CurrentContext()));
  }

  CUgraphNode AddFree() const {
    CUgraphNode node = nullptr;
    Must(cuGraphAddMemFreeNode(&node, graph, &copy, 1, address));
    return node;
  }

  Graph graph = MakeGraph();
  CUgraphNode allocate = nullptr, fill = nullptr, copy = nullptr;
  CUdeviceptr address = 0;
};

cuuint64_t Held(CUgraphMem_attribute attribute) {
  cuuint64_t bytes = 0;
  Must(cuDeviceGetGraphMemAttribute(0, attribute, &bytes));
  return bytes;
}

class MemoryNodeRules : public RuleTest {
 protected:
  void Free(CUdeviceptr address) {
    Must(cuMemFreeAsync(address, stream_));
    Must(cuStreamSynchronize(stream_));
  }

  static void ExpectUnknown(CUdeviceptr address) {
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, address), CUDA_ERROR_NOT_FOUND);
    unsigned type = 0;
    EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
              CUDA_ERROR_INVALID_VALUE);
  }

  Buffer out_;
};

TEST_F(MemoryNodeRules, AnAllocationHasItsAddressFromTheNodesCreation) {
  const Allocating job(out_, 7);
  EXPECT_NE(job.address, 0U);
  CUDA_MEM_ALLOC_NODE_PARAMS told{};
  ASSERT_EQ(cuGraphMemAllocNodeGetParams(job.allocate, &told), CUDA_SUCCESS);
  EXPECT_EQ(told.dptr, job.address);
  EXPECT_EQ(told.bytesize, kBytes);
  EXPECT_EQ(told.poolProps.location.id, 0);
  CUdeviceptr freed = 0;
  ASSERT_EQ(cuGraphMemFreeNodeGetParams(job.AddFree(), &freed), CUDA_SUCCESS);
  EXPECT_EQ(freed, job.address);
}

TEST_F(MemoryNodeRules, TheDriverDoesNotKnowAnAllocationBeforeAnyLaunch) {
  const Allocating job(out_, 7);
  ExpectUnknown(job.address);
}

TEST_F(MemoryNodeRules, TheDriverKnowsAnAllocationFromALaunchUntilItIsFreed) {
  const Allocating job(out_, 7);
  const Exec exec = Instantiate(job.graph);
  Replay(exec, stream_);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuMemGetAddressRange(&base, &bytes, job.address), CUDA_SUCCESS);
  EXPECT_EQ(base, job.address);
  EXPECT_GE(bytes, kBytes);
  Free(job.address);
  ExpectUnknown(job.address);
}

TEST_F(MemoryNodeRules, TheDriverDoesNotKnowAnAllocationThatEachLaunchFrees) {
  const Allocating job(out_, 7);
  job.AddFree();
  const Exec exec = Instantiate(job.graph);
  Replay(exec, stream_);
  ExpectUnknown(job.address);
}

TEST_F(MemoryNodeRules, MemoryIsAllocatedAndFreedInEachLaunch) {
  const Allocating job(out_, 7);
  job.AddFree();
  const Exec exec = Instantiate(job.graph);
  for (int i = 0; i < 3; ++i) {
    out_.Clear();
    Replay(exec, stream_);
    EXPECT_EQ(out_.First(), 7);
  }
}

TEST_F(MemoryNodeRules, SuchAGraphIsNotCloned) {
  const Allocating job(out_, 7);
  job.AddFree();
  Graph clone;
  EXPECT_EQ(cuGraphClone(clone.Out(), job.graph), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(MemoryNodeRules, SuchAGraphHasOneExecutableAtATime) {
  const Allocating job(out_, 7);
  job.AddFree();
  Exec first = Instantiate(job.graph), second;
  EXPECT_EQ(cuGraphInstantiate(second.Out(), job.graph, 0), CUDA_ERROR_NOT_SUPPORTED);
  first.Reset();
  EXPECT_EQ(cuGraphInstantiate(second.Out(), job.graph, 0), CUDA_SUCCESS);
  Replay(second, stream_);
  EXPECT_EQ(out_.First(), 7);
}

TEST_F(MemoryNodeRules, SuchAGraphKeepsItsNodesAndEdges) {
  const Allocating job(out_, 7);
  EXPECT_EQ(cuGraphDestroyNode(job.copy), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphRemoveDependencies(job.graph, &job.fill, &job.copy, nullptr, 1),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(Nodes(job.graph).size(), 3U);
  EXPECT_EQ(Edges(job.graph).size(), 2U);
}

TEST_F(MemoryNodeRules, SuchAGraphTakesMoreNodesAndEdges) {
  const Allocating job(out_, 7);
  const CUgraphNode free = job.AddFree();
  const CUgraphNode add = AddKernel(job.graph, {job.copy}, out_, 10);
  Connect(job.graph, add, free);
  const Exec exec = Instantiate(job.graph);
  Replay(exec, stream_);
  EXPECT_EQ(out_.First(), 17);
}

TEST_F(MemoryNodeRules, SuchAGraphIsAChildOnlyWhenItIsMoved) {
  Allocating job(out_, 7);
  job.AddFree();
  const Graph parent = MakeGraph();
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddChildGraphNode(&node, parent, nullptr, 0, job.graph),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
  parameters.graph.graph = job.graph;
  parameters.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
  ASSERT_EQ(cuGraphAddNode(&node, parent, nullptr, nullptr, 0, &parameters), CUDA_SUCCESS);
  CUgraph child = nullptr;
  Must(cuGraphChildGraphNodeGetGraph(node, &child));
  EXPECT_EQ(child, static_cast<CUgraph>(job.graph));
  *job.graph.Out() = nullptr;  // the parent's now
  Replay(Instantiate(parent), stream_);
  EXPECT_EQ(out_.First(), 7);
  Graph clone;
  EXPECT_EQ(cuGraphClone(clone.Out(), parent), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(MemoryNodeRules, ALaunchIsRefusedWhileItsAllocationIsNotFreed) {
  const Allocating job(out_, 7);
  const Exec exec = Instantiate(job.graph);
  Replay(exec, stream_);
  EXPECT_EQ(cuGraphLaunch(exec, stream_), CUDA_ERROR_INVALID_VALUE);
  Free(job.address);
  Replay(exec, stream_);
  EXPECT_EQ(out_.First(), 7);
  EXPECT_EQ(cuMemFree(job.address), CUDA_SUCCESS);
}

TEST_F(MemoryNodeRules, ALaunchMayFreeWhatTheOneBeforeAllocated) {
  const Allocating job(out_, 7);
  Exec exec;
  Must(cuGraphInstantiate(exec.Out(), job.graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  for (int i = 0; i < 3; ++i) Replay(exec, stream_);
  EXPECT_EQ(out_.First(), 7);
  Free(job.address);
}

TEST_F(MemoryNodeRules, AnotherGraphMayFreeIt) {
  const Allocating job(out_, 7);
  const Graph freeing = MakeGraph();
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddMemFreeNode(&node, freeing, nullptr, 0, job.address), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, job.graph, &job.copy, 1, job.address),
            CUDA_ERROR_INVALID_VALUE);
  const Exec allocates = Instantiate(job.graph), frees = Instantiate(freeing);
  for (int i = 0; i < 3; ++i) {
    Replay(allocates, stream_);
    Replay(frees, stream_);
  }
  EXPECT_EQ(out_.First(), 7);
}

TEST_F(MemoryNodeRules, OnlyAnAllocationIsFreedAndOnlyOnce) {
  const Allocating job(out_, 7);
  job.AddFree();
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, job.graph, &job.copy, 1, job.address),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, job.graph, &job.copy, 1, out_.address()),
            CUDA_ERROR_INVALID_VALUE);
  const Graph other = MakeGraph();
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, other, nullptr, 0, job.address), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryNodeRules, ParametersOfMemoryNodesCannotBeSet) {
  const Allocating job(out_, 7);
  job.AddFree();
  CUgraphNodeParams parameters = AllocationParameters();
  EXPECT_EQ(cuGraphNodeSetParams(job.allocate, &parameters), CUDA_ERROR_NOT_SUPPORTED);
  const Exec exec = Instantiate(job.graph);
  EXPECT_EQ(cuGraphExecNodeSetParams(exec, job.allocate, &parameters), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, job.allocate, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryNodeRules, SuchAnExecutableIsNotUpdated) {
  const Allocating job(out_, 7), incoming(out_, 8);
  job.AddFree();
  incoming.AddFree();
  const Exec exec = Instantiate(job.graph);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(Update(exec, incoming.graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR);
}

TEST_F(MemoryNodeRules, GraphsHoldMemoryOfTheDeviceUntilItIsTrimmed) {
  Must(cuDeviceGraphMemTrim(0));
  const cuuint64_t used = Held(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
  const cuuint64_t reserved = Held(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  const Allocating job(out_, 7);
  const Exec exec = Instantiate(job.graph);
  Replay(exec, stream_);
  EXPECT_GE(Held(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), used + kBytes);
  EXPECT_GE(Held(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), reserved + kBytes);
  Free(job.address);
  Must(cuDeviceGraphMemTrim(0));
  EXPECT_EQ(Held(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), reserved);
  EXPECT_GE(Held(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), kBytes);
}

TEST_F(MemoryNodeRules, AllocationsAndFreesOfACaptureBecomeNodes) {
  CUdeviceptr address = 0;
  Graph graph;
  Must(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(cuMemAllocAsync(&address, kBytes, stream_), CUDA_SUCCESS);
  Must(cuMemsetD32Async(address, 7, Buffer::kCount, stream_));
  Must(cuMemcpyDtoDAsync(out_.address(), address, kBytes, stream_));
  EXPECT_EQ(cuMemFreeAsync(address, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream_, graph.Out()), CUDA_SUCCESS);
  std::vector<CUgraphNodeType> types;
  for (const CUgraphNode node : Nodes(graph)) types.push_back(TypeOf(node));
  EXPECT_EQ(types, (std::vector{CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEMSET,
                                CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEM_FREE}));
  CUDA_MEM_ALLOC_NODE_PARAMS told{};
  Must(cuGraphMemAllocNodeGetParams(Nodes(graph).front(), &told));
  EXPECT_EQ(told.dptr, address);
  EXPECT_EQ(told.bytesize, kBytes);
  Replay(Instantiate(graph), stream_);
  EXPECT_EQ(out_.First(), 7);
}

TEST_F(MemoryNodeRules, ACaptureFreesOnlyWhatGraphsAllocateAndSurvivesTheAttempt) {
  CUdeviceptr pooled = 0;
  Must(cuMemAllocAsync(&pooled, kBytes, stream_));
  Must(cuStreamSynchronize(stream_));
  Graph graph;
  Must(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(cuMemFreeAsync(pooled, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamEndCapture(stream_, graph.Out()), CUDA_SUCCESS);
  Free(pooled);
}

}  // namespace
}  // namespace rules
