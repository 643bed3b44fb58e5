// What an exec update accepts, and what it leaves when it refuses.
#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

class UpdateRules : public EachMode {
 protected:
  Buffer sums_, other_;
};

TEST_P(UpdateRules, ARecaptureOfTheSameShapeIsTaken) {
  const Graph first = CaptureAdds(stream_, GetParam(), sums_, {1, 2});
  const Graph second = CaptureAdds(stream_, GetParam(), sums_, {10, 20});
  const Exec exec = Instantiate(first);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(Update(exec, second, &info), CUDA_SUCCESS);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 30);
}

TEST_P(UpdateRules, ALongerGraphIsRefusedAndTheExecutableStaysUsable) {
  const Graph first = CaptureAdds(stream_, GetParam(), sums_, {1, 2});
  const Graph longer = CaptureAdds(stream_, GetParam(), sums_, {1, 2, 3});
  const Exec exec = Instantiate(first);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(Update(exec, longer, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 3);
  EXPECT_EQ(Update(exec, first), CUDA_SUCCESS);
}

TEST_P(UpdateRules, ANodeOfAnotherKindIsRefused) {
  const Graph first = CaptureAdds(stream_, GetParam(), sums_, {1, 2});
  Graph second;
  Must(cuStreamBeginCapture(stream_, GetParam()));
  LaunchAdd(stream_, sums_, 1);
  Must(cuMemsetD32Async(other_.address(), 0, Buffer::kCount, stream_));
  Must(cuStreamEndCapture(stream_, second.Out()));
  const Exec exec = Instantiate(first);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(Update(exec, second, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
}

TEST_P(UpdateRules, TheGraphItCameFromIsTakenAfterItsNodesChanged) {
  const Graph graph = CaptureAdds(stream_, GetParam(), sums_, {1});
  const Exec exec = Instantiate(graph);
  const AddParameters ten(other_, 10);
  Must(cuGraphKernelNodeSetParams(Nodes(graph).front(), ten.get()));
  EXPECT_EQ(Update(exec, graph), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 0);
  EXPECT_EQ(other_.First(), 10);
}

TEST_P(UpdateRules, NodesOfTheFirstGraphNameThemAfterAnUpdateFromAnother) {
  const Graph first = CaptureAdds(stream_, GetParam(), sums_, {1});
  const Graph second = CaptureAdds(stream_, GetParam(), sums_, {10});
  const Exec exec = Instantiate(first);
  Must(Update(exec, second));
  const AddParameters hundred(sums_, 100);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, Nodes(first).front(), hundred.get()),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, Nodes(second).front(), hundred.get()),
            CUDA_ERROR_INVALID_VALUE);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 100);
}

TEST_P(UpdateRules, LaunchesAlreadyQueuedKeepTheirParameters) {
  const Graph graph = CaptureAdds(stream_, GetParam(), sums_, {1});
  const Exec exec = Instantiate(graph);
  const AddParameters thousand(sums_, 1000);
  Replay(exec, stream_);
  Gate gate(stream_);
  Must(cuGraphLaunch(exec, stream_));
  Must(cuGraphExecKernelNodeSetParams(exec, Nodes(graph).front(), thousand.get()));
  Must(cuGraphLaunch(exec, stream_));
  gate.Open();
  Must(cuStreamSynchronize(stream_));
  EXPECT_FALSE(gate.GaveUp());
  EXPECT_EQ(sums_.First(), 1002);
}

RULES_FOR_EACH_MODE(UpdateRules);

}  // namespace
}  // namespace rules
