// Graphs inside graphs: handles, probes, new contents.
#include <set>

#include "tests/rules/rules.h"

namespace rules {
namespace {

CUgraph InnerGraph(CUgraphNode child) {
  CUgraph inner = nullptr;
  Must(cuGraphChildGraphNodeGetGraph(child, &inner));
  return inner;
}

int ValueOf(CUgraphNode node) {
  CUDA_KERNEL_NODE_PARAMS parameters{};
  Must(cuGraphKernelNodeGetParams(node, &parameters));
  return *static_cast<int*>(parameters.kernelParams[2]);
}

class ChildGraphRules : public RuleTest {
 protected:
  // A fork and a join whose kernels add value, value + 1, …
  Graph MakeInner(int value) {
    Graph inner = MakeGraph();
    const CUgraphNode a = AddKernel(inner, {}, sums_, value);
    const CUgraphNode b = AddKernel(inner, {a}, sums_, value + 1);
    const CUgraphNode join = AddKernel(inner, {a, b}, sums_, value + 2);
    AddKernel(inner, {join}, sums_, value + 3);
    return inner;
  }

  // Puts a probe on the edge from the kernel that adds `value` to the join behind it.
  void SpliceInner(CUgraph inner, int value) {
    CUgraphNode before = nullptr, after = nullptr;
    for (const CUgraphNode node : Nodes(inner)) {
      if (ValueOf(node) == value) before = node;
      if (ValueOf(node) == value + 2) after = node;
    }
    Connect(inner, AddKernel(inner, {before}, probed_, 100), after);
    Disconnect(inner, before, after);
  }

  Buffer sums_, probed_;
};

TEST_F(ChildGraphRules, TheNodesOfAnEmbeddedChildAreMappedByFindInClone) {
  const Graph outer = MakeGraph();
  const Graph inner = MakeInner(1);
  CUgraphNode child = nullptr;
  Must(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  const Graph clone = Clone(outer);
  const CUgraph clone_inner = InnerGraph(InClone(child, clone));
  std::set<CUgraphNode> found;
  for (const CUgraphNode node : Nodes(InnerGraph(child))) {
    const CUgraphNode twin = InClone(node, clone_inner);
    EXPECT_EQ(ValueOf(twin), ValueOf(node));
    found.insert(twin);
  }
  const std::vector<CUgraphNode> listed = Nodes(clone_inner);
  EXPECT_EQ(found, std::set<CUgraphNode>(listed.begin(), listed.end()));
  EXPECT_EQ(found.size(), 4U);
}

// The mirror of a child's new contents rests on it: their nodes are paired by this order.
TEST_F(ChildGraphRules, AnEmbeddedChildListsItsNodesInTheOrderOfTheOriginal) {
  for (int shape = 0; shape < 4; ++shape) {
    const Graph inner = MakeGraph();
    std::vector<CUgraphNode> added;
    for (int i = 0; i < 12; ++i) {
      std::vector<CUgraphNode> after;
      if (shape == 1 && i > 0) after = {added.back()};                   // a chain
      if (shape == 2 && i > 1) after = {added[i - 2]};                   // two chains in turns
      if (shape == 3 && i == 5) after = {added[0], added[1], added[2]};  // a join
      if (shape == 3 && i > 5) after = {added[5]};                       // and a fork
      added.push_back(AddKernel(inner, {}, sums_, i));
      for (const CUgraphNode before : after) Connect(inner, before, added.back());
    }
    const Graph outer = MakeGraph();
    CUgraphNode child = nullptr;
    Must(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
    const Graph outermost = MakeGraph();
    CUgraphNode nested = nullptr;
    Must(cuGraphAddChildGraphNode(&nested, outermost, nullptr, 0, outer));
    const Graph clone = Clone(outermost);
    const CUgraph in_clone = InnerGraph(Nodes(InnerGraph(InClone(nested, clone))).front());
    for (const CUgraph graph : {InnerGraph(child), in_clone}) {
      std::vector<int> order;
      for (const CUgraphNode node : Nodes(graph)) order.push_back(ValueOf(node));
      EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})) << shape;
    }
  }
}

TEST_F(ChildGraphRules, AddingAChildCopiesItAndTheOriginalMayGo) {
  const Graph outer = MakeGraph();
  Graph inner = MakeInner(1);
  CUgraphNode child = nullptr;
  Must(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  EXPECT_NE(InnerGraph(child), static_cast<CUgraph>(inner));
  inner.Reset();
  EXPECT_EQ(Nodes(InnerGraph(child)).size(), 4U);
  Replay(Instantiate(outer), stream_);
  EXPECT_EQ(sums_.First(), 1 + 2 + 3 + 4);
}

TEST_F(ChildGraphRules, AProbeInsideTheClonesChildRunsAndTheOriginalIsUntouched) {
  const Graph outer = MakeGraph();
  const CUgraphNode first = AddKernel(outer, {}, sums_, 1000);
  CUgraphNode child = nullptr;
  Must(cuGraphAddChildGraphNode(&child, outer, &first, 1, MakeInner(1)));
  const Exec exec = Instantiate(outer);
  const Graph clone = Clone(outer);
  SpliceInner(InnerGraph(InClone(child, clone)), 1);
  const Exec shadow = Instantiate(clone);
  Replay(exec, stream_);
  EXPECT_EQ(probed_.First(), 0);
  EXPECT_EQ(sums_.First(), 1010);
  Replay(shadow, stream_);
  EXPECT_EQ(probed_.First(), 100);
  EXPECT_EQ(sums_.First(), 2020);
}

TEST_F(ChildGraphRules, AChildWithAProbeTakesNewContentsFromAChildSplicedLikeIt) {
  const Graph outer = MakeGraph();
  CUgraphNode child = nullptr;
  Must(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, MakeInner(1)));
  const Exec exec = Instantiate(outer);
  const Graph clone = Clone(outer);
  const CUgraphNode clone_child = InClone(child, clone);
  SpliceInner(InnerGraph(clone_child), 1);
  const Exec shadow = Instantiate(clone);
  const Graph incoming = MakeInner(10);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(exec, child, incoming), CUDA_SUCCESS);
  const Graph spliced = Clone(incoming);
  SpliceInner(spliced, 10);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(shadow, clone_child, spliced), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 46);
  Replay(shadow, stream_);
  EXPECT_EQ(sums_.First(), 92);
  EXPECT_EQ(probed_.First(), 100);
}

TEST_F(ChildGraphRules, AChildOfAnotherShapeIsRefused) {
  const Graph outer = MakeGraph();
  CUgraphNode child = nullptr;
  Must(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, MakeInner(1)));
  const Exec exec = Instantiate(outer);
  const Graph incoming = MakeInner(10);
  SpliceInner(incoming, 10);
  EXPECT_NE(cuGraphExecChildGraphNodeSetParams(exec, child, incoming), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 10) << "the executable is as it was";
}

}  // namespace
}  // namespace rules
