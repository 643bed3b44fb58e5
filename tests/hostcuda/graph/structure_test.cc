// Nodes, edges, clones: what a graph says about itself.
#include <gmock/gmock.h>

#include "tests/hostcuda/graph/graph_fixture.h"

namespace hostcuda::test {
namespace {

using testing::ElementsAre;

using StructureTest = GraphTest;

constexpr CUgraphEdgeData kProgrammatic{
    CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};

std::vector<CUgraphNode> DependenciesOf(CUgraphNode node) {
  CUgraphNode nodes[8];
  CUgraphEdgeData data[8];
  size_t count = 8;
  EXPECT_EQ(cuGraphNodeGetDependencies(node, nodes, data, &count), CUDA_SUCCESS);
  return {nodes, nodes + count};
}

TEST_F(StructureTest, KeepsCreationOrderAlsoInAClone) {
  CUgraph graph = NewGraph();
  CUgraphNode a = AddKernel(graph, {}, 1);
  CUgraphNode b = AddFill(graph, {}, 0);
  CUgraphNode c = AddKernel(graph, {a, b}, 1);
  CUgraph clone = Clone(graph);

  EXPECT_THAT(NodesOf(graph), ElementsAre(a, b, c));
  EXPECT_THAT(NodesOf(clone),
              ElementsAre(FindInClone(a, clone), FindInClone(b, clone), FindInClone(c, clone)));
  EXPECT_EQ(cuGraphDestroy(clone), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(StructureTest, FillsWhatFitsAndZeroesTheRest) {
  CUgraph graph = NewGraph();
  CUgraphNode a = AddKernel(graph, {}, 1);
  CUgraphNode b = AddKernel(graph, {a}, 1);
  CUgraphNode three[3] = {b, b, b};
  size_t count = 3;
  ASSERT_EQ(cuGraphGetNodes(graph, three, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_THAT(three, ElementsAre(a, b, nullptr));
  count = 1;
  ASSERT_EQ(cuGraphGetNodes(graph, three, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  count = 3;
  ASSERT_EQ(cuGraphGetRootNodes(graph, three, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(three[0], a);
  cuGraphDestroy(graph);
}

TEST_F(StructureTest, DependenciesKeepTheOrderInWhichTheyWereMade) {
  CUgraph graph = NewGraph();
  CUgraphNode a = AddKernel(graph, {}, 1);
  CUgraphNode b = AddKernel(graph, {}, 1);
  CUgraphNode join = AddKernel(graph, {a, b}, 1);
  EXPECT_THAT(DependenciesOf(join), ElementsAre(a, b));
  ASSERT_EQ(cuGraphRemoveDependencies(graph, &a, &join, nullptr, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddDependencies(graph, &a, &join, nullptr, 1), CUDA_SUCCESS);
  EXPECT_THAT(DependenciesOf(join), ElementsAre(b, a));
  EXPECT_EQ(cuGraphAddDependencies(graph, &a, &join, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &join, &a, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  cuGraphDestroy(graph);
}

TEST_F(StructureTest, QueriesWithoutEdgeDataRefuseToLoseIt) {
  CUgraph graph = NewGraph();
  CUgraphNode a = AddKernel(graph, {}, 1);
  CUgraphNode b = AddKernel(graph, {}, 1);
  CUgraphNode fill = AddFill(graph, {}, 0);
  ASSERT_EQ(cuGraphAddDependencies(graph, &a, &b, &kProgrammatic, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddDependencies(graph, &fill, &b, &kProgrammatic, 1), CUDA_ERROR_INVALID_VALUE);

  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
  CUgraphEdgeData data{};
  size_t count = 1;
  EXPECT_EQ(cuGraphGetEdges(graph, &from, &to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
  ASSERT_EQ(cuGraphGetEdges(graph, &from, &to, &data, &count), CUDA_SUCCESS);
  EXPECT_EQ(from, a);
  EXPECT_EQ(to, b);
  EXPECT_EQ(data.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  EXPECT_EQ(data.from_port, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &a, &b, &kProgrammatic, 1), CUDA_SUCCESS);
  cuGraphDestroy(graph);
}

TEST_F(StructureTest, DestroyingANodeTakesItsEdges) {
  CUgraph graph = NewGraph();
  CUgraphNode a = AddKernel(graph, {}, 1);
  CUgraphNode b = AddKernel(graph, {a}, 1);
  CUgraphNode c = AddKernel(graph, {a, b}, 1);
  ASSERT_EQ(cuGraphDestroyNode(b), CUDA_SUCCESS);
  EXPECT_THAT(NodesOf(graph), ElementsAre(a, c));
  EXPECT_THAT(DependenciesOf(c), ElementsAre(a));
  CUgraphNodeType type{};
  EXPECT_EQ(cuGraphNodeGetType(b, &type), CUDA_ERROR_INVALID_VALUE);
  cuGraphDestroy(graph);
}

TEST_F(StructureTest, FindInCloneRefusesAGraphThatIsNoCloneOfIt) {
  CUgraph graph = NewGraph();
  CUgraphNode node = AddKernel(graph, {}, 1);
  CUgraph other = NewGraph();
  CUgraphNode found = nullptr;
  EXPECT_EQ(cuGraphNodeFindInClone(&found, node, other), CUDA_ERROR_INVALID_VALUE);
  CUgraph clone = Clone(graph);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(cuGraphNodeFindInClone(&found, node, clone), "the original node is gone");
  cuGraphDestroy(other);
  cuGraphDestroy(clone);
}

}  // namespace
}  // namespace hostcuda::test
