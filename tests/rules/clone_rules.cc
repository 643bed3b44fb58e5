// A clone carries probes: what it keeps, which handles it takes, and that the original stays as it
// was.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/rules/rules.h"

namespace rules {
namespace {

// a and b before join; c after a. The buffer ends as a + join + c.
struct ForkJoin {
  ForkJoin(const Buffer& sums, const Buffer& filled, int value)
      : graph(MakeGraph()),
        a(AddKernel(graph, {}, sums, value)),
        b(AddFill(graph, {}, filled, 7)),
        join(AddKernel(graph, {a, b}, sums, value)) {
    AddKernel(graph, {join}, sums, value);
  }

  Graph graph;
  CUgraphNode a, b, join;
};

// Puts a kernel that adds 100 to `probed` on the edge from `before` to `after`.
CUgraphNode Splice(CUgraph graph, CUgraphNode before, CUgraphNode after, const Buffer& probed) {
  const CUgraphNode probe = AddKernel(graph, {before}, probed, 100);
  Connect(graph, probe, after);
  Disconnect(graph, before, after);
  return probe;
}

class CloneRules : public RuleTest {
 protected:
  Buffer sums_, filled_, probed_;
};

TEST_F(CloneRules, SplicingIntoTheOriginalAndRestoringTheEdgeMakesItsNextUpdateFail) {
  ForkJoin job(sums_, filled_, 1);
  const Exec exec = Instantiate(job.graph);
  ASSERT_EQ(Update(exec, job.graph), CUDA_SUCCESS);
  Must(cuGraphDestroyNode(Splice(job.graph, job.a, job.join, probed_)));
  Connect(job.graph, job.a, job.join);
  EXPECT_EQ(DependenciesOf(job.join), (std::vector{job.b, job.a}));
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(Update(exec, job.graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED)
      << "the join's kernels differ";
}

TEST_F(CloneRules, TheLastDependencyTakesThePlaceOfARemovedOne) {
  const Graph graph = MakeGraph();
  std::vector<CUgraphNode> before;
  for (int i = 0; i < 4; ++i) before.push_back(AddKernel(graph, {}, sums_, 1));
  const CUgraphNode join = AddKernel(graph, {before[0], before[1], before[2], before[3]}, sums_, 1);
  EXPECT_EQ(DependenciesOf(join), before);
  Disconnect(graph, before[0], join);
  EXPECT_EQ(DependenciesOf(join), (std::vector{before[3], before[1], before[2]}));
}

TEST_F(CloneRules, TheLastDependentTakesThePlaceOfARemovedOne) {
  const Graph graph = MakeGraph();
  const CUgraphNode fork = AddKernel(graph, {}, sums_, 1);
  std::vector<CUgraphNode> after;
  for (int i = 0; i < 4; ++i) after.push_back(AddKernel(graph, {fork}, sums_, 1));
  EXPECT_EQ(DependentsOf(fork), after);
  Disconnect(graph, fork, after[0]);
  EXPECT_EQ(DependentsOf(fork), (std::vector{after[3], after[1], after[2]}));
}

TEST_F(CloneRules, TheOtherNodesKeepTheirOrderWhenOneIsDestroyed) {
  const Graph graph = MakeGraph();
  std::vector<CUgraphNode> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(AddKernel(graph, {}, sums_, 1));
  Must(cuGraphDestroyNode(nodes[0]));
  EXPECT_EQ(Nodes(graph), (std::vector{nodes[1], nodes[2], nodes[3]}));
}

TEST_F(CloneRules, ASplicedCloneComputesWhatTheOriginalDoesAndLeavesTheOriginalAlone) {
  ForkJoin job(sums_, filled_, 1);
  const Exec exec = Instantiate(job.graph);
  const Graph clone = Clone(job.graph);
  Splice(clone, InClone(job.a, clone), InClone(job.join, clone), probed_);
  const Exec shadow = Instantiate(clone);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 3);
  EXPECT_EQ(probed_.First(), 0);
  Replay(shadow, stream_);
  EXPECT_EQ(sums_.First(), 6);
  EXPECT_EQ(probed_.First(), 100);
  EXPECT_EQ(Nodes(job.graph).size(), 4U);
  EXPECT_EQ(DependenciesOf(job.join), (std::vector{job.a, job.b}));
  EXPECT_EQ(Update(exec, job.graph), CUDA_SUCCESS);
}

TEST_F(CloneRules, AShadowIsUpdatedFromASplicedCloneOfTheIncomingGraph) {
  ForkJoin job(sums_, filled_, 1);
  const Exec exec = Instantiate(job.graph);
  const Graph clone = Clone(job.graph);
  Splice(clone, InClone(job.a, clone), InClone(job.join, clone), probed_);
  const Exec shadow = Instantiate(clone);
  ForkJoin incoming(sums_, filled_, 10);
  const Graph incoming_clone = Clone(incoming.graph);
  Splice(incoming_clone, InClone(incoming.a, incoming_clone),
         InClone(incoming.join, incoming_clone), probed_);
  EXPECT_EQ(Update(exec, incoming.graph), CUDA_SUCCESS);
  EXPECT_EQ(Update(shadow, incoming_clone), CUDA_SUCCESS);
  Replay(shadow, stream_);
  EXPECT_EQ(sums_.First(), 30);
  EXPECT_EQ(probed_.First(), 100);
  EXPECT_EQ(Update(exec, incoming.graph), CUDA_SUCCESS);
}

TEST_F(CloneRules, AnExecutableOfACloneTakesTheClonesNodesAndRefusesTheOriginals) {
  ForkJoin job(sums_, filled_, 1);
  const Graph clone = Clone(job.graph);
  const CUgraphNode join = InClone(job.join, clone);
  const Exec shadow = Instantiate(clone);
  const AddParameters ten(sums_, 10);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(shadow, job.join, ten.get()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(shadow, join, ten.get()), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphNodeSetEnabled(shadow, job.a, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeSetEnabled(shadow, InClone(job.a, clone), 0), CUDA_SUCCESS);
  Replay(shadow, stream_);
  EXPECT_EQ(sums_.First(), 11);
}

TEST_F(CloneRules, NodesAreListedInTheOrderOfCreationAndTheSameInTheClone) {
  const Graph graph = MakeGraph();
  std::vector<CUgraphNode> made;
  for (int i = 0; i < 300; ++i) {
    // Roots, chains and joins, so that no other order could pass for that of creation.
    if (i % 3 == 0 || i < 8) {
      made.push_back(AddKernel(graph, {}, sums_, i));
    } else {
      made.push_back(AddKernel(graph, {made[i - 1], made[i / 2]}, sums_, i));
    }
  }
  EXPECT_EQ(Nodes(graph), made);
  const Graph clone = Clone(graph);
  std::vector<CUgraphNode> cloned;
  for (const CUgraphNode node : made) cloned.push_back(InClone(node, clone));
  EXPECT_EQ(Nodes(clone), cloned);
}

TEST_F(CloneRules, CloneAndExecutableWorkAfterTheOriginalIsDestroyed) {
  ForkJoin job(sums_, filled_, 1);
  const Graph clone = Clone(job.graph);
  const CUgraphNode join = InClone(job.join, clone);
  const Exec exec = Instantiate(job.graph);
  const Exec shadow = Instantiate(clone);
  job.graph.Reset();
  const AddParameters ten(sums_, 10);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(shadow, join, ten.get()), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 3);
  Replay(shadow, stream_);
  EXPECT_EQ(sums_.First(), 3 + 12);
}

TEST_F(CloneRules, PrioritiesAreKeptInTheClone) {
  const Graph graph = MakeGraph();
  const CUgraphNode node = AddKernel(graph, {}, sums_, 1);
  int least = 0, greatest = 0;
  Must(cuCtxGetStreamPriorityRange(&least, &greatest));
  CUkernelNodeAttrValue priority{};
  priority.priority = greatest;
  Must(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &priority));
  const Graph clone = Clone(graph);
  CUkernelNodeAttrValue seen{};
  Must(cuGraphKernelNodeGetAttribute(InClone(node, clone), CU_LAUNCH_ATTRIBUTE_PRIORITY, &seen));
  EXPECT_EQ(seen.priority, greatest);
}

TEST_F(CloneRules, AUserObjectIsDestroyedOnlyAfterGraphExecutableCloneAndShadow) {
  static std::atomic<int> destroyed;
  destroyed = 0;
  ForkJoin job(sums_, filled_, 1);
  CUuserObject object = nullptr;
  Must(cuUserObjectCreate(
      &object, nullptr, [](void*) { destroyed = 1; }, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  Must(cuGraphRetainUserObject(job.graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  Graph clone = Clone(job.graph);
  Exec exec = Instantiate(job.graph), shadow = Instantiate(clone);
  Replay(exec, stream_);
  Replay(shadow, stream_);
  job.graph.Reset();
  exec.Reset();
  clone.Reset();
  Must(cuCtxSynchronize());
  EXPECT_EQ(destroyed, 0);
  shadow.Reset();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (destroyed == 0 && std::chrono::steady_clock::now() < deadline) {
    Must(cuCtxSynchronize());
    std::this_thread::yield();
  }
  EXPECT_EQ(destroyed, 1);
}

}  // namespace
}  // namespace rules
