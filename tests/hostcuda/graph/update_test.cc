// Changes of executables: by clones, by updates with their topology rules, in child graphs.
#include "tests/hostcuda/graph/graph_fixture.h"

namespace hostcuda::test {
namespace {

// A and B before the join J, and K behind A alone.
struct ForkJoin {
  CUgraph graph;
  CUgraphNode a, b, join;
};

class UpdateTest : public GraphTest {
 protected:
  ForkJoin Make(float value) const {
    ForkJoin made{NewGraph(), nullptr, nullptr, nullptr};
    made.b = AddFill(made.graph, {}, 0);
    made.a = AddKernel(made.graph, {made.b}, value);
    made.join = AddKernel(made.graph, {made.a, made.b}, value);
    AddKernel(made.graph, {made.a}, value);
    return made;
  }

  ForkJoin CloneOf(const ForkJoin& made) const {
    CUgraph clone = Clone(made.graph);
    return {clone, FindInClone(made.a, clone), FindInClone(made.b, clone),
            FindInClone(made.join, clone)};
  }

  // Puts a kernel between A and the join.
  void Splice(const ForkJoin& made) const {
    CUgraphNode probe = AddKernel(made.graph, {made.a}, 100);
    ASSERT_EQ(cuGraphAddDependencies(made.graph, &probe, &made.join, nullptr, 1), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphRemoveDependencies(made.graph, &made.a, &made.join, nullptr, 1), CUDA_SUCCESS);
  }

  static CUgraphExecUpdateResult Update(CUgraphExec executable, CUgraph graph) {
    CUgraphExecUpdateResultInfo info{};
    CUresult result = cuGraphExecUpdate(executable, graph, &info);
    EXPECT_EQ(result, info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS
                          ? CUDA_SUCCESS
                          : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    return info.result;
  }

  static void Destroy(std::initializer_list<CUgraph> graphs,
                      std::initializer_list<CUgraphExec> executables) {
    for (CUgraph graph : graphs) EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    for (CUgraphExec executable : executables) cuGraphExecDestroy(executable);
  }
};

TEST_F(UpdateTest, RestoringAnEdgeChangesTheTopology) {
  ForkJoin job = Make(1);
  CUgraphExec executable = Instantiate(job.graph);
  EXPECT_EQ(Update(executable, job.graph), CU_GRAPH_EXEC_UPDATE_SUCCESS);
  ASSERT_EQ(cuGraphRemoveDependencies(job.graph, &job.a, &job.join, nullptr, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddDependencies(job.graph, &job.a, &job.join, nullptr, 1), CUDA_SUCCESS);
  EXPECT_EQ(Update(executable, job.graph), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(Run(executable), 3);
  Destroy({job.graph}, {executable});
}

TEST_F(UpdateTest, AClonesExecutableIsUpdatedFromAnotherClone) {
  ForkJoin job = Make(1);
  ForkJoin clone = CloneOf(job);
  Splice(clone);
  CUgraphExec plain = Instantiate(job.graph);
  CUgraphExec shadow = Instantiate(clone.graph);
  EXPECT_EQ(Run(plain), 3);
  EXPECT_EQ(Run(shadow), 103);
  ForkJoin fresh = Make(2);
  ForkJoin fresh_clone = CloneOf(fresh);
  Splice(fresh_clone);
  EXPECT_EQ(Update(plain, fresh.graph), CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_EQ(Update(shadow, fresh_clone.graph), CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_EQ(Update(shadow, fresh.graph), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(Run(plain), 6);
  EXPECT_EQ(Run(shadow), 106);
  Destroy({job.graph, clone.graph, fresh.graph, fresh_clone.graph}, {plain, shadow});
}

TEST_F(UpdateTest, AClonesExecutableKnowsTheClonesNodesOnly) {
  ForkJoin job = Make(1);
  ForkJoin clone = CloneOf(job);
  CUgraphExec shadow = Instantiate(clone.graph);
  auto kernel = Add(10);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(shadow, job.join, &kernel->params),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeSetEnabled(shadow, job.join, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphDestroy(job.graph), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(shadow, clone.join, &kernel->params), CUDA_SUCCESS);
  EXPECT_EQ(Run(shadow), 12);
  Destroy({clone.graph}, {shadow});
}

TEST_F(UpdateTest, ADisabledNodeStaysDisabledThroughAnUpdate) {
  ForkJoin job = Make(1);
  CUgraphExec executable = Instantiate(job.graph);
  ASSERT_EQ(cuGraphNodeSetEnabled(executable, job.join, 0), CUDA_SUCCESS);
  EXPECT_EQ(Run(executable), 2);
  ASSERT_EQ(cuGraphKernelNodeSetParams(job.join, &Add(10)->params), CUDA_SUCCESS);
  EXPECT_EQ(Update(executable, job.graph), CU_GRAPH_EXEC_UPDATE_SUCCESS);
  unsigned enabled = 9;
  ASSERT_EQ(cuGraphNodeGetEnabled(executable, job.join, &enabled), CUDA_SUCCESS);
  EXPECT_EQ(enabled, 0u);
  EXPECT_EQ(Run(executable), 2);
  ASSERT_EQ(cuGraphNodeSetEnabled(executable, job.join, 1), CUDA_SUCCESS);
  EXPECT_EQ(Run(executable), 12);
  Destroy({job.graph}, {executable});
}

TEST_F(UpdateTest, NamesTheNodeWhoseKindChanged) {
  CUgraph graph = NewGraph();
  AddKernel(graph, {}, 1);
  CUgraphExec executable = Instantiate(graph);
  CUgraph other = NewGraph();
  CUgraphNode fill = AddFill(other, {}, 0);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(cuGraphExecUpdate(executable, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  EXPECT_EQ(info.errorNode, fill);
  EXPECT_EQ(info.errorFromNode, nullptr);
  AddKernel(graph, {}, 1);
  EXPECT_EQ(Update(executable, graph), CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  Destroy({graph, other}, {executable});
}

TEST_F(UpdateTest, BlamesTheNodeThatTheRealDriverBlames) {
  auto sinks = [this](int count) {
    CUgraph graph = NewGraph();
    CUgraphNode root = AddKernel(graph, {}, 1);
    for (int i = 0; i < count; ++i) AddKernel(graph, {root}, 1);
    if (count < 3) AddKernel(graph, {NodesOf(graph).back()}, 1);
    return graph;
  };
  CUgraph two = sinks(2);
  CUgraph three = sinks(3);
  CUgraphExec executable = Instantiate(two);
  CUgraphExecUpdateResultInfo info{};
  ASSERT_EQ(cuGraphExecUpdate(executable, three, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.errorNode, NodesOf(three)[1]);  // sinks are paired from the last one on
  CUgraphExec wide = Instantiate(three);
  ASSERT_EQ(cuGraphExecUpdate(wide, two, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.errorNode, nullptr);
  Destroy({two, three}, {executable, wide});
}

TEST_F(UpdateTest, ASwappedJoinOfLikeBranchesIsTheSameShape) {
  ForkJoin made{NewGraph(), nullptr, nullptr, nullptr};
  made.a = AddKernel(made.graph, {}, 1);
  made.b = AddKernel(made.graph, {}, 2);
  made.join = AddKernel(made.graph, {made.a, made.b}, 4);
  CUgraphExec executable = Instantiate(made.graph);
  ASSERT_EQ(cuGraphRemoveDependencies(made.graph, &made.a, &made.join, nullptr, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddDependencies(made.graph, &made.a, &made.join, nullptr, 1), CUDA_SUCCESS);
  EXPECT_EQ(Update(executable, made.graph), CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_EQ(Run(executable), 7);
  Destroy({made.graph}, {executable});
}

TEST_F(UpdateTest, ACopyKeepsTheKindOfItsMemory) {
  float host = 0;
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = buffer_;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = &host;
  copy.WidthInBytes = sizeof host;
  copy.Height = copy.Depth = 1;
  CUgraph graph = NewGraph();
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context_), CUDA_SUCCESS);
  CUgraphExec executable = Instantiate(graph);
  float other_host = 1;
  copy.dstHost = &other_host;
  EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context_), CUDA_SUCCESS);
  Run(executable);
  EXPECT_EQ(other_host, 0);

  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = buffer_ + sizeof host;
  EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context_),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphMemcpyNodeSetParams(node, &copy), CUDA_SUCCESS);
  EXPECT_EQ(Update(executable, graph), CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
  Destroy({graph}, {executable});
}

TEST_F(UpdateTest, AFillOfRowsKeepsItsForm) {
  CUDA_MEMSET_NODE_PARAMS fill{buffer_, 4 * sizeof(float), 0, sizeof(float), 2, 2};
  CUgraph graph = NewGraph();
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context_), CUDA_SUCCESS);
  CUgraphExec executable = Instantiate(graph);
  fill.value = 0x40000000;
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(executable, node, &fill, context_), CUDA_SUCCESS);
  EXPECT_EQ(Run(executable), 2);
  fill.width = 3;
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(executable, node, &fill, context_),
            CUDA_ERROR_INVALID_VALUE);
  Destroy({graph}, {executable});
}

TEST_F(UpdateTest, AChildGraphIsChangedAsAWholeOrByTheMirror) {
  ForkJoin inner = Make(1);
  CUgraph outer = NewGraph();
  CUgraphNode child = nullptr;
  ASSERT_EQ(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, inner.graph), CUDA_SUCCESS);
  AddKernel(outer, {child}, 1);
  CUgraph clone = Clone(outer);
  CUgraph embedded = nullptr;
  ASSERT_EQ(cuGraphChildGraphNodeGetGraph(FindInClone(child, clone), &embedded), CUDA_SUCCESS);
  CUgraphExec shadow = Instantiate(clone);
  EXPECT_EQ(Run(shadow), 4);

  ForkJoin next = Make(2);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(shadow, child, next.graph),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphExecChildGraphNodeSetParams(shadow, FindInClone(child, clone), next.graph),
            CUDA_SUCCESS);
  EXPECT_EQ(Run(shadow), 7);
  for (CUgraphNode node : NodesOf(embedded)) {
    CUgraphNodeType type{};
    ASSERT_EQ(cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
    if (type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    ASSERT_EQ(cuGraphKernelNodeSetParams(node, &Add(5)->params), CUDA_SUCCESS);
  }
  EXPECT_EQ(Update(shadow, clone), CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_EQ(Run(shadow), 16);
  Splice(next);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(shadow, FindInClone(child, clone), next.graph),
            CUDA_ERROR_INVALID_VALUE);
  Destroy({inner.graph, outer, clone, next.graph}, {shadow});
}

}  // namespace
}  // namespace hostcuda::test
