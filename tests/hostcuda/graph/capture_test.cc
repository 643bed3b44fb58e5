// Captures: what becomes a node, how streams join, how a capture ends.
#include <gmock/gmock.h>

#include <thread>

#include "tests/hostcuda/graph/graph_fixture.h"

namespace hostcuda::test {
namespace {

using testing::ElementsAre;

class CaptureTest : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    ASSERT_EQ(cuEventCreate(&fork_, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(cuEventCreate(&join_, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  }

  static void Begin(CUstream stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_EQ(cuStreamBeginCapture(stream, mode), CUDA_SUCCESS);
  }

  void Fork() {
    ASSERT_EQ(cuEventRecord(fork_, stream_), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWaitEvent(other_, fork_, 0), CUDA_SUCCESS);
  }

  void Join() {
    ASSERT_EQ(cuEventRecord(join_, other_), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWaitEvent(stream_, join_, 0), CUDA_SUCCESS);
  }

  CUresult End(CUgraph* graph) { return cuStreamEndCapture(stream_, graph); }

  static CUgraphNode LastNodeOf(CUstream stream) {
    CUstreamCaptureStatus status{};
    const CUgraphNode* nodes = nullptr;
    const CUgraphEdgeData* data = nullptr;
    size_t count = 0;
    EXPECT_EQ(cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &data, &count),
              CUDA_SUCCESS);
    EXPECT_EQ(count, 1u);
    return nodes[0];
  }

  CUresult LaunchAddWith(CUlaunchAttribute attribute) const {
    auto kernel = Add(1);
    CUlaunchConfig config{1, 1, 1, kFloats, 1, 1, 0, stream_, &attribute, 1};
    return cuLaunchKernelEx(&config, kernel->params.func, kernel->arguments, nullptr);
  }

  static void ExpectOneProgrammaticEdge(CUgraph graph) {
    CUgraphNode from[2] = {};
    CUgraphNode to[2] = {};
    CUgraphEdgeData data[2] = {};
    size_t count = 2;
    ASSERT_EQ(cuGraphGetEdges(graph, from, to, data, &count), CUDA_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(data[0].type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    EXPECT_EQ(data[0].from_port, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
  }

  CUevent fork_ = nullptr;
  CUevent join_ = nullptr;
};

TEST_F(CaptureTest, WorkBecomesNodesInTheOrderOfTheCalls) {
  Begin(stream_);
  std::vector<CUgraphNode> seen;
  ASSERT_EQ(cuMemsetD32Async(buffer_, 0x40000000, kFloats, stream_), CUDA_SUCCESS);
  seen.push_back(LastNodeOf(stream_));
  Fork();
  ASSERT_EQ(LaunchAdd(other_, 1), CUDA_SUCCESS);
  seen.push_back(LastNodeOf(other_));
  Join();
  ASSERT_EQ(LaunchAdd(stream_, 1), CUDA_SUCCESS);
  seen.push_back(LastNodeOf(stream_));
  CUgraph graph = nullptr;
  ASSERT_EQ(End(&graph), CUDA_SUCCESS);

  EXPECT_EQ(NodesOf(graph), seen);
  CUgraphNode dependencies[2] = {};
  size_t count = 2;
  ASSERT_EQ(cuGraphNodeGetDependencies(seen[2], dependencies, nullptr, &count), CUDA_SUCCESS);
  EXPECT_THAT(dependencies, ElementsAre(seen[0], seen[1]));
  EXPECT_EQ(First(), 0);  // nothing ran
  CUgraphExec executable = Instantiate(graph);
  EXPECT_EQ(Run(executable), 4);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

TEST_F(CaptureTest, AProgrammaticLaunchGivesProgrammaticEdges) {
  Begin(stream_);
  ASSERT_EQ(LaunchAdd(stream_, 1), CUDA_SUCCESS);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  ASSERT_EQ(LaunchAddWith(attribute), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(End(&graph), CUDA_SUCCESS);
  ExpectOneProgrammaticEdge(graph);
  cuGraphDestroy(graph);
}

TEST_F(CaptureTest, AProgrammaticEventGivesProgrammaticEdges) {
  Begin(stream_);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  attribute.value.programmaticEvent.event = fork_;
  ASSERT_EQ(LaunchAddWith(attribute), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(other_, fork_, 0), CUDA_SUCCESS);
  CUstreamCaptureStatus status{};
  const CUgraphNode* nodes = nullptr;
  size_t count = 0;
  EXPECT_EQ(cuStreamGetCaptureInfo(other_, &status, nullptr, nullptr, &nodes, nullptr, &count),
            CUDA_ERROR_LOSSY_QUERY);
  ASSERT_EQ(LaunchAdd(other_, 1), CUDA_SUCCESS);
  CUgraphNode last = LastNodeOf(other_);
  ASSERT_EQ(cuStreamUpdateCaptureDependencies(stream_, &last, nullptr, 1,
                                              CU_STREAM_SET_CAPTURE_DEPENDENCIES),
            CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(End(&graph), CUDA_SUCCESS);
  ExpectOneProgrammaticEdge(graph);
  cuGraphDestroy(graph);
}

TEST_F(CaptureTest, IntoAGraphOfTheCaller) {
  CUgraph graph = NewGraph();
  CUgraphNode fill = AddFill(graph, {}, 0x3f800000);
  ASSERT_EQ(cuStreamBeginCaptureToGraph(stream_, graph, &fill, nullptr, 1,
                                        CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_ILLEGAL_STATE);
  ASSERT_EQ(LaunchAdd(stream_, 1), CUDA_SUCCESS);
  CUgraph ended = nullptr;
  ASSERT_EQ(End(&ended), CUDA_SUCCESS);
  EXPECT_EQ(ended, graph);
  CUgraphExec executable = Instantiate(graph);
  EXPECT_EQ(Run(executable), 2);
  cuGraphExecDestroy(executable);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(CaptureTest, DependenciesCanBeReplaced) {
  Begin(stream_);
  ASSERT_EQ(LaunchAdd(stream_, 1), CUDA_SUCCESS);
  CUgraphNode first = LastNodeOf(stream_);
  ASSERT_EQ(LaunchAdd(stream_, 1), CUDA_SUCCESS);
  CUgraphNode second = LastNodeOf(stream_);
  ASSERT_EQ(cuStreamUpdateCaptureDependencies(stream_, &first, nullptr, 1,
                                              CU_STREAM_SET_CAPTURE_DEPENDENCIES),
            CUDA_SUCCESS);
  EXPECT_EQ(LastNodeOf(stream_), first);
  ASSERT_EQ(cuStreamUpdateCaptureDependencies(stream_, &second, nullptr, 1,
                                              CU_STREAM_ADD_CAPTURE_DEPENDENCIES),
            CUDA_SUCCESS);
  ASSERT_EQ(LaunchAdd(stream_, 1), CUDA_SUCCESS);
  CUgraphNode third = LastNodeOf(stream_);
  CUgraph graph = nullptr;
  ASSERT_EQ(End(&graph), CUDA_SUCCESS);
  CUgraphNode dependencies[2] = {};
  size_t count = 2;
  ASSERT_EQ(cuGraphNodeGetDependencies(third, dependencies, nullptr, &count), CUDA_SUCCESS);
  EXPECT_THAT(dependencies, ElementsAre(first, second));
  cuGraphDestroy(graph);
}

TEST_F(CaptureTest, ExternalEventsBecomeNodes) {
  Begin(stream_);
  ASSERT_EQ(cuStreamWaitEvent(stream_, fork_, CU_EVENT_WAIT_EXTERNAL), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecordWithFlags(join_, stream_, CU_EVENT_RECORD_EXTERNAL), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(End(&graph), CUDA_SUCCESS);
  std::vector<CUgraphNode> nodes = NodesOf(graph);
  ASSERT_EQ(nodes.size(), 2u);
  CUgraphNodeType type{};
  ASSERT_EQ(cuGraphNodeGetType(nodes[0], &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  ASSERT_EQ(cuGraphNodeGetType(nodes[1], &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  cuGraphDestroy(graph);
}

TEST_F(CaptureTest, AForkThatIsNotJoinedFailsTheEnd) {
  Begin(stream_);
  Fork();
  ASSERT_EQ(LaunchAdd(other_, 1), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  EXPECT_EQ(End(&graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(End(&graph), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(LaunchAdd(other_, 1), CUDA_SUCCESS);  // no longer capturing
}

TEST_F(CaptureTest, OnlyARelaxedCaptureEndsOnAnotherThread) {
  for (CUstreamCaptureMode mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED}) {
    Begin(stream_, mode);
    CUgraph graph = nullptr;
    CUresult result = CUDA_ERROR_UNKNOWN;
    std::thread([&] { result = End(&graph); }).join();
    if (mode == CU_STREAM_CAPTURE_MODE_GLOBAL) {
      EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
      EXPECT_EQ(End(&graph), CUDA_ERROR_ILLEGAL_STATE);
    } else {
      EXPECT_EQ(result, CUDA_SUCCESS);
    }
    cuGraphDestroy(graph);
  }
}

TEST_F(CaptureTest, AnEventOfAnEndedCaptureIsOfNoUseUntilItIsRecordedAgain) {
  Begin(stream_);
  ASSERT_EQ(cuEventRecord(fork_, stream_), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(End(&graph), CUDA_SUCCESS);
  cuGraphDestroy(graph);
  EXPECT_EQ(cuEventQuery(fork_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitEvent(other_, fork_, 0), CUDA_ERROR_INVALID_VALUE);
  Begin(stream_);
  EXPECT_EQ(cuStreamWaitEvent(stream_, fork_, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(End(&graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_EQ(cuEventRecord(fork_, other_), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(fork_), CUDA_SUCCESS);
}

TEST_F(CaptureTest, TheWorkOfADestroyedStreamMustBeJoined) {
  for (bool joined : {true, false}) {
    CUstream side = nullptr;
    ASSERT_EQ(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    Begin(stream_);
    ASSERT_EQ(cuEventRecord(fork_, stream_), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWaitEvent(side, fork_, 0), CUDA_SUCCESS);
    ASSERT_EQ(LaunchAdd(side, 1), CUDA_SUCCESS);
    ASSERT_EQ(cuEventRecord(join_, side), CUDA_SUCCESS);
    if (joined) {
      ASSERT_EQ(cuStreamWaitEvent(stream_, join_, 0), CUDA_SUCCESS);
    }
    ASSERT_EQ(cuStreamDestroy(side), CUDA_SUCCESS);
    CUgraph graph = nullptr;
    EXPECT_EQ(End(&graph), joined ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    if (joined) cuGraphDestroy(graph);
  }
}

TEST_F(CaptureTest, GoesWithItsStreamOrIntoNothing) {
  CUstream stream = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  Begin(stream);
  ASSERT_EQ(LaunchAdd(stream, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuMemAlloc(&memory, 64), CUDA_SUCCESS);  // no capture is open
  Begin(stream_);
  EXPECT_EQ(End(nullptr), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  EXPECT_EQ(End(&graph), CUDA_ERROR_ILLEGAL_STATE);
}

TEST_F(CaptureTest, CopiesAndFillsOfNothingAreNoNodes) {
  Begin(stream_);
  EXPECT_EQ(cuMemsetD32Async(buffer_, 0, 0, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoDAsync(buffer_, buffer_, 0, stream_), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(End(&graph), CUDA_SUCCESS);
  EXPECT_TRUE(NodesOf(graph).empty());
  cuGraphDestroy(graph);
}

}  // namespace
}  // namespace hostcuda::test
