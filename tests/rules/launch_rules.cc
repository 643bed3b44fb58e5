// Launches of executables: order, overlap, and what may happen while one runs.
#include <array>
#include <set>

#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

class LaunchRules : public RuleTest {
 protected:
  // A graph of one kernel that waits, at most `limit_us`, for a second one to run beside it.
  Graph MakeMeeting(long long limit_us) {
    Graph graph = MakeGraph();
    int* arrivals = meeting_.pointer();
    int* met = meeting_.pointer() + 1;
    std::array<void*, 3> arguments{&arrivals, &met, &limit_us};
    CUDA_KERNEL_NODE_PARAMS parameters = *AddParameters(sums_, 0).get();
    parameters.func = Rendezvous();
    parameters.blockDimX = 1;
    parameters.kernelParams = arguments.data();
    CUgraphNode node = nullptr;
    Must(cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
    return graph;
  }

  bool Met() const { return meeting_.Read()[1] != 0; }

  Buffer sums_, meeting_;
  OwnedStream second_stream_ = MakeStream();
};

TEST_F(LaunchRules, OneExecutableOnTwoStreamsNeverOverlapsItself) {
  const Exec exec = Instantiate(MakeMeeting(100'000));
  Must(cuGraphUpload(exec, stream_));
  Must(cuStreamSynchronize(stream_));
  Must(cuGraphLaunch(exec, stream_));
  Must(cuGraphLaunch(exec, second_stream_));
  EXPECT_FALSE(Met());
}

TEST_F(LaunchRules, TwoExecutablesOfOneGraphOverlapOnTwoStreams) {
  const Graph graph = MakeMeeting(10'000'000);
  const Exec first = Instantiate(graph), second = Instantiate(graph);
  Must(cuGraphLaunch(first, stream_));
  Must(cuGraphLaunch(second, second_stream_));
  EXPECT_TRUE(Met());
}

TEST_F(LaunchRules, AnExecutableIsMadeUploadedUpdatedAndDestroyedWithoutWaitingForABusyDevice) {
  const Graph graph = MakeGraph();
  CUgraphNode previous = AddKernel(graph, {}, sums_, 1);
  for (int i = 0; i < 100; ++i) previous = AddKernel(graph, {previous}, sums_, 1);
  Gate gate(stream_);
  const auto expect_closed = [this](const char* after) {
    EXPECT_EQ(cuStreamQuery(stream_), CUDA_ERROR_NOT_READY) << after << " waited";
  };
  Exec beside = Instantiate(graph), behind = Instantiate(graph);
  expect_closed("instantiate");
  Must(cuGraphUpload(beside, second_stream_));
  expect_closed("upload");
  Replay(beside, second_stream_);
  expect_closed("a launch on another stream");
  EXPECT_EQ(Update(beside, graph), CUDA_SUCCESS);
  expect_closed("update");
  beside.Reset();
  expect_closed("destroy");
  Must(cuGraphLaunch(behind, stream_));
  EXPECT_EQ(Update(behind, graph), CUDA_SUCCESS);
  expect_closed("update of one that is queued");
  behind.Reset();
  expect_closed("destroy of one that is queued");
  gate.Open();
  Must(cuStreamSynchronize(stream_));
  EXPECT_FALSE(gate.GaveUp());
}

TEST_F(LaunchRules, AnExecutableDestroyedWhileItRunsFinishes) {
  const Graph graph = MakeGraph();
  CUgraphNode previous = AddKernel(graph, {}, sums_, 1);
  for (int i = 0; i < 9; ++i) previous = AddKernel(graph, {previous}, sums_, 1);
  Exec exec = Instantiate(graph);
  Gate gate(stream_);
  Must(cuGraphLaunch(exec, stream_));
  exec.Reset();
  gate.Open();
  Must(cuStreamSynchronize(stream_));
  EXPECT_EQ(sums_.First(), 10);
}

TEST_F(LaunchRules, TwoExecutablesOfAGraphStillLaunchAfterItIsDestroyed) {
  Graph graph = MakeGraph();
  AddKernel(graph, {}, sums_, 1);
  const Exec first = Instantiate(graph), second = Instantiate(graph);
  graph.Reset();
  Replay(first, stream_);
  Replay(second, stream_);
  EXPECT_EQ(sums_.First(), 2);
}

TEST_F(LaunchRules, ADisabledKernelDoesNothingAndItsSuccessorsRun) {
  const Graph graph = MakeGraph();
  const CUgraphNode first = AddKernel(graph, {}, sums_, 1);
  AddKernel(graph, {first}, sums_, 10);
  const Exec exec = Instantiate(graph);
  Must(cuGraphNodeSetEnabled(exec, first, 0));
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 10);
}

TEST_F(LaunchRules, HandlesOfDestroyedExecutablesComeBack) {
  const Graph graph = MakeGraph();
  AddKernel(graph, {}, sums_, 1);
  std::set<CUgraphExec> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(Instantiate(graph));
  EXPECT_LT(seen.size(), 1000U);
}

TEST_F(LaunchRules, AnEmptyGraphIsInstantiatedAndLaunched) {
  const Graph graph = MakeGraph();
  Replay(Instantiate(graph), stream_);
  EXPECT_TRUE(Nodes(graph).empty());
}

TEST_F(LaunchRules, ExecutablesTellTheirFlagsButNotThatNodePrioritiesCount) {
  const Graph graph = MakeGraph();
  AddKernel(graph, {}, sums_, 1);
  constexpr cuuint64_t kAutoFree = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
  constexpr cuuint64_t kPriority = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  for (const cuuint64_t given : {cuuint64_t{0}, kAutoFree, kPriority, kAutoFree | kPriority}) {
    Exec exec;
    Must(cuGraphInstantiate(exec.Out(), graph, given));
    cuuint64_t flags = 0;
    Must(cuGraphExecGetFlags(exec, &flags));
    EXPECT_EQ(flags, given & ~kPriority);
  }
}

}  // namespace
}  // namespace rules
