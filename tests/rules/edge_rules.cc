// Edge data: programmatic edges in captures, clones, splices; the forms of the calls that know
// none.
#include <cstring>

#include "tests/rules/rules.h"

namespace rules {
namespace {

class EdgeRules : public EachMode {
 protected:
  // Two kernels; the second may start before the first has ended.
  Graph CaptureProgrammatic() {
    Graph graph;
    Must(cuStreamBeginCapture(stream_, GetParam()));
    LaunchAdd(stream_, first_, 1);
    LaunchAddEarly(stream_, second_, 2);
    Must(cuStreamEndCapture(stream_, graph.Out()));
    return graph;
  }

  Buffer first_, second_, probed_;
};

bool SameData(const CUgraphEdgeData& a, const CUgraphEdgeData& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

TEST_P(EdgeRules, AProgrammaticLaunchGivesAProgrammaticEdge) {
  const Graph graph = CaptureProgrammatic();
  const std::vector<Edge> edges = Edges(graph);
  ASSERT_EQ(edges.size(), 1U);
  EXPECT_EQ(edges[0].data.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  EXPECT_EQ(edges[0].data.from_port, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
  EXPECT_EQ(edges[0].data.to_port, 0);
}

TEST_P(EdgeRules, AClonesEdgesHaveTheSameData) {
  const Graph graph = CaptureProgrammatic();
  const Graph clone = Clone(graph);
  const Edge edge = Edges(graph).at(0), cloned = Edges(clone).at(0);
  EXPECT_EQ(cloned.from, InClone(edge.from, clone));
  EXPECT_EQ(cloned.to, InClone(edge.to, clone));
  EXPECT_TRUE(SameData(edge.data, cloned.data));
}

TEST_P(EdgeRules, AKernelSplicedIntoAProgrammaticEdgeByFullEdgesRuns) {
  const Graph graph = CaptureProgrammatic();
  const Graph clone = Clone(graph);
  const Edge edge = Edges(clone).at(0);
  Connect(clone, AddKernel(clone, {edge.from}, probed_, 100), edge.to);
  Disconnect(clone, edge.from, edge.to, edge.data);
  Replay(Instantiate(clone), stream_);
  EXPECT_EQ(first_.First(), 1);
  EXPECT_EQ(second_.First(), 2);
  EXPECT_EQ(probed_.First(), 100);
}

TEST_P(EdgeRules, ARemovedProgrammaticEdgeIsRestoredWithItsData) {
  const Graph graph = CaptureProgrammatic();
  const Edge edge = Edges(graph).at(0);
  Disconnect(graph, edge.from, edge.to, edge.data);
  EXPECT_TRUE(Edges(graph).empty());
  Connect(graph, edge.from, edge.to, edge.data);
  EXPECT_TRUE(SameData(Edges(graph).at(0).data, edge.data));
  Replay(Instantiate(graph), stream_);
  EXPECT_EQ(second_.First(), 2);
}

TEST_P(EdgeRules, AProgrammaticEdgeIsRemovedByPlainDataToo) {
  const Graph graph = CaptureProgrammatic();
  const Edge edge = Edges(graph).at(0);
  const CUgraphEdgeData plain{};
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &edge.from, &edge.to, &plain, 1), CUDA_SUCCESS);
  EXPECT_TRUE(Edges(graph).empty());
}

TEST_P(EdgeRules, QueriesWithoutDataAreRefusedWhereDataWouldBeLost) {
  const Graph graph = CaptureProgrammatic();
  const Edge edge = Edges(graph).at(0);
  CUgraphNode from = nullptr, to = nullptr;
  size_t count = 1;
  EXPECT_EQ(cuGraphGetEdges(graph, &from, &to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
  count = 1;
  EXPECT_EQ(cuGraphNodeGetDependencies(edge.to, &from, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
}

RULES_FOR_EACH_MODE(EdgeRules);

}  // namespace
}  // namespace rules
