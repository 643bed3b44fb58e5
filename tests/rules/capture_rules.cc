// What a capture records, in which order, and what breaks it.
#include <thread>

#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

CUgraphNode LastNode(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* data = nullptr;
  size_t count = 0;
  Must(cuStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &data, &count));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  return count == 1 ? nodes[0] : nullptr;
}

CUstreamCaptureStatus StatusOf(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  Must(cuStreamIsCapturing(stream, &status));
  return status;
}

class CaptureRules : public EachMode {
 protected:
  void Begin() { Must(cuStreamBeginCapture(stream_, GetParam())); }
  CUresult End() { return cuStreamEndCapture(stream_, graph_.Out()); }

  void Fork(CUstream to) {
    Must(cuEventRecord(event_, stream_));
    Must(cuStreamWaitEvent(to, event_, 0));
  }
  void Join(CUstream from) {
    Must(cuEventRecord(event_, from));
    Must(cuStreamWaitEvent(stream_, event_, 0));
  }

  Buffer sums_, other_;
  Event event_ = MakeEvent();
  OwnedStream side_ = MakeStream();
  Graph graph_;
};

TEST_P(CaptureRules, TheStreamsLastNodesAreInOrderTheNodesOfTheGraph) {
  std::vector<CUgraphNode> seen;
  Begin();
  for (int i = 0; i < 50; ++i) {
    if (i % 10 == 9) {
      Must(cuMemsetD32Async(other_.address(), 1, Buffer::kCount, stream_));
    } else {
      LaunchAdd(stream_, sums_, i);
    }
    seen.push_back(LastNode(stream_));
  }
  Must(End());
  EXPECT_EQ(Nodes(graph_), seen);
}

TEST_P(CaptureRules, LaunchesThatAlternateOverJoinedStreamsAreListedInTheOrderOfTheCalls) {
  std::vector<CUgraphNode> seen;
  Begin();
  LaunchAdd(stream_, sums_, 1);
  seen.push_back(LastNode(stream_));
  Fork(side_);
  for (int i = 0; i < 20; ++i) {
    const CUstream stream = i % 2 == 0 ? side_ : stream_;
    LaunchAdd(stream, i % 2 == 0 ? other_ : sums_, 1);
    seen.push_back(LastNode(stream));
  }
  Join(side_);
  LaunchAdd(stream_, sums_, 1);
  seen.push_back(LastNode(stream_));
  Must(End());
  EXPECT_EQ(Nodes(graph_), seen);
  EXPECT_EQ(DependenciesOf(seen.back()).size(), 2U);
}

TEST_P(CaptureRules, NothingRunsBeforeTheGraphIsLaunched) {
  Begin();
  LaunchAdd(stream_, sums_, 1);
  Must(End());
  EXPECT_EQ(sums_.First(), 0);
  Replay(Instantiate(graph_), stream_);
  EXPECT_EQ(sums_.First(), 1);
}

TEST_P(CaptureRules, AGraphLaunchOnACapturingStreamIsRefused) {
  const Graph other = CaptureAdds(stream_, GetParam(), sums_, {1});
  const Exec exec = Instantiate(other);
  Begin();
  LaunchAdd(stream_, sums_, 1);
  EXPECT_EQ(cuGraphLaunch(exec, stream_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(StatusOf(stream_), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(End(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(static_cast<CUgraph>(graph_), nullptr);
  EXPECT_EQ(StatusOf(stream_), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_P(CaptureRules, ALaunchWithABadShapeFailsAndBreaksTheCapture) {
  const AddParameters add(sums_, 1);
  Begin();
  LaunchAdd(stream_, sums_, 1);
  EXPECT_EQ(cuLaunchKernel(add.get()->func, 1, 1, 1, 4096, 1, 1, 0, stream_,
                           add.get()->kernelParams, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(StatusOf(stream_), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(End(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_P(CaptureRules, WaitingForTheCapturingStreamBreaksTheCapture) {
  Begin();
  LaunchAdd(stream_, sums_, 1);
  EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(End(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_P(CaptureRules, AForkThatIsNotJoinedMakesTheEndFail) {
  Begin();
  Fork(side_);
  LaunchAdd(side_, sums_, 1);
  EXPECT_EQ(End(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(StatusOf(side_), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_P(CaptureRules, OnlyTheStreamThatBeganMayEnd) {
  Begin();
  Fork(side_);
  Graph none;
  EXPECT_EQ(cuStreamEndCapture(side_, none.Out()), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(End(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_P(CaptureRules, TheLegacyStreamCannotBeCaptured) {
  EXPECT_EQ(cuStreamBeginCapture(CU_STREAM_LEGACY, GetParam()),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_P(CaptureRules, AnotherThreadMayEndOnlyARelaxedCapture) {
  Begin();
  LaunchAdd(stream_, sums_, 1);
  CUresult ended = CUDA_SUCCESS;
  std::thread([&] {
    UsePrimaryContext();
    ended = End();
  }).join();
  if (GetParam() == CU_STREAM_CAPTURE_MODE_RELAXED) {
    EXPECT_EQ(ended, CUDA_SUCCESS);
  } else {
    EXPECT_EQ(ended, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    EXPECT_EQ(StatusOf(stream_), CU_STREAM_CAPTURE_STATUS_NONE) << "the capture is over";
    EXPECT_EQ(End(), CUDA_ERROR_ILLEGAL_STATE);
  }
}

TEST_P(CaptureRules, AnEventOfTheCaptureCannotBeQueried) {
  Begin();
  LaunchAdd(stream_, sums_, 1);
  Must(cuEventRecord(event_, stream_));
  EXPECT_EQ(cuEventQuery(event_), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(End(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_P(CaptureRules, AnAllocationBreaksOnesOwnCaptureUnlessItIsRelaxed) {
  Begin();
  LaunchAdd(stream_, sums_, 1);
  CUdeviceptr memory = 0;
  const CUresult allocated = cuMemAlloc(&memory, 1024);
  if (GetParam() == CU_STREAM_CAPTURE_MODE_RELAXED) {
    EXPECT_EQ(allocated, CUDA_SUCCESS);
    EXPECT_EQ(End(), CUDA_SUCCESS);
    Must(cuMemFree(memory));
  } else {
    EXPECT_EQ(allocated, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(End(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
}

RULES_FOR_EACH_MODE(CaptureRules);

}  // namespace
}  // namespace rules
