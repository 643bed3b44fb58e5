// What a capture forbids, and what breaks it.
#include <thread>

#include "tests/hostcuda/graph/graph_fixture.h"

namespace hostcuda::test {
namespace {

class CaptureRulesTest : public GraphTest {
 protected:
  static CUstreamCaptureStatus StatusOf(CUstream stream) {
    CUstreamCaptureStatus status{};
    EXPECT_EQ(cuStreamIsCapturing(stream, &status), CUDA_SUCCESS);
    return status;
  }

  // Ends the capture of stream_; whether it was still whole.
  bool EndsWell() const {
    CUgraph graph = nullptr;
    CUresult result = cuStreamEndCapture(stream_, &graph);
    if (result == CUDA_SUCCESS) return cuGraphDestroy(graph) == CUDA_SUCCESS;
    EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(graph, nullptr);
    return false;
  }

  // What an allocation of another thread, in `thread_mode`, returns during a capture in `mode`.
  CUresult AllocateElsewhere(CUstreamCaptureMode mode, CUstreamCaptureMode thread_mode) const {
    EXPECT_EQ(cuStreamBeginCapture(stream_, mode), CUDA_SUCCESS);
    CUresult result = CUDA_ERROR_UNKNOWN;
    std::thread([&, exchanged = thread_mode]() mutable {
      EXPECT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
      EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&exchanged), CUDA_SUCCESS);
      EXPECT_EQ(exchanged, CU_STREAM_CAPTURE_MODE_GLOBAL);
      CUdeviceptr memory = 0;
      result = cuMemAlloc(&memory, 64);
    }).join();
    return result;
  }
};

TEST_F(CaptureRulesTest, UnsafeCallsOfOtherThreadsBreakGlobalCapturesOnly) {
  constexpr CUstreamCaptureMode kGlobal = CU_STREAM_CAPTURE_MODE_GLOBAL;
  constexpr CUstreamCaptureMode kThread = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  constexpr CUstreamCaptureMode kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  for (CUstreamCaptureMode mode : {kGlobal, kThread, kRelaxed}) {
    for (CUstreamCaptureMode thread_mode : {kGlobal, kThread, kRelaxed}) {
      bool breaks = mode == kGlobal && thread_mode == kGlobal;
      EXPECT_EQ(AllocateElsewhere(mode, thread_mode),
                breaks ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS);
      EXPECT_EQ(EndsWell(), !breaks) << mode << " " << thread_mode;
    }
  }
}

TEST_F(CaptureRulesTest, UnsafeCallsOfTheCapturingThreadBreakAllButRelaxedOnes) {
  for (auto mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                    CU_STREAM_CAPTURE_MODE_RELAXED}) {
    bool breaks = mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    ASSERT_EQ(cuStreamBeginCapture(stream_, mode), CUDA_SUCCESS);
    CUdeviceptr memory = 0;
    EXPECT_EQ(cuMemAlloc(&memory, 64),
              breaks ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS);
    EXPECT_EQ(StatusOf(stream_),
              breaks ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_EQ(LaunchAdd(stream_, 1), breaks ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS);
    EXPECT_EQ(EndsWell(), !breaks);
  }
}

TEST_F(CaptureRulesTest, InstantiateIsUnsafeCloneAndUpdateAreNot) {
  CUgraph graph = NewGraph();
  AddKernel(graph, {}, 1);
  CUgraphExec executable = Instantiate(graph);
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  CUgraph clone = Clone(graph);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(cuGraphExecUpdate(executable, graph, &info), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphUpload(executable, other_), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(executable, other_), CUDA_SUCCESS);
  EXPECT_TRUE(EndsWell());
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  CUgraphExec second = nullptr;
  EXPECT_EQ(cuGraphInstantiate(&second, clone, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_FALSE(EndsWell());
  cuGraphExecDestroy(executable);
  cuGraphDestroy(clone);
  cuGraphDestroy(graph);
}

TEST_F(CaptureRulesTest, NeitherLaunchNorQueryOfACapturingStream) {
  CUgraph graph = NewGraph();
  CUgraphExec executable = Instantiate(graph);
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuGraphLaunch(executable, stream_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_FALSE(EndsWell());
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_FALSE(EndsWell());
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

TEST_F(CaptureRulesTest, TwoCapturesDoNotMerge) {
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(other_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(event, other_), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(stream_, event, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  EXPECT_FALSE(EndsWell());
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(other_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(CaptureRulesTest, WorkOutsideIsNoDependency) {
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(event, other_), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(stream_, event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  EXPECT_FALSE(EndsWell());
}

TEST_F(CaptureRulesTest, TheLegacyStreamDoesNotJoin) {
  EXPECT_EQ(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUstream blocking = nullptr;
  ASSERT_EQ(cuStreamCreate(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  CUstreamCaptureStatus status{};
  EXPECT_EQ(cuStreamIsCapturing(nullptr, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(StatusOf(blocking), CU_STREAM_CAPTURE_STATUS_ACTIVE);  // a question breaks nothing
  EXPECT_EQ(LaunchAdd(nullptr, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(LaunchAdd(nullptr, 1), CUDA_SUCCESS);  // a non-blocking stream does not mind
  EXPECT_TRUE(EndsWell());
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(CaptureRulesTest, WaitingForTheContextBreaksEvenRelaxedCaptures) {
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_FALSE(EndsWell());
}

TEST_F(CaptureRulesTest, SynchronousWorkOfTheLegacyStreamMindsBlockingStreamsOnly) {
  CUstream blocking = nullptr;
  ASSERT_EQ(cuStreamCreate(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
  for (CUstream stream : {stream_, blocking}) {
    ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    CUresult expected = stream == blocking ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
    float value = 0;
    EXPECT_EQ(cuMemcpyDtoH(&value, buffer_, sizeof value), expected);
    CUgraph graph = nullptr;
    EXPECT_EQ(cuStreamEndCapture(stream, &graph),
              stream == blocking ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS);
    if (graph != nullptr) cuGraphDestroy(graph);
  }
}

TEST_F(CaptureRulesTest, AWaitForTheLegacyStreamIsUnsafe) {
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_FALSE(EndsWell());
  ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  EXPECT_TRUE(EndsWell());
}

TEST_F(CaptureRulesTest, NeitherQueryNorWaitForACapturedEvent) {
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  for (auto ask : {&cuEventQuery, &cuEventSynchronize}) {
    ASSERT_EQ(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    ASSERT_EQ(cuEventRecord(event, stream_), CUDA_SUCCESS);
    EXPECT_EQ(ask(event), CUDA_ERROR_CAPTURED_EVENT);
    EXPECT_FALSE(EndsWell());
  }
}

}  // namespace
}  // namespace hostcuda::test
