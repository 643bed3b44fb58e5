// A clone is the mirror of what the job does to its executable: parameters set on the clone's
// nodes, then one update of the shadow from it.
#include "tests/rules/rules.h"

namespace rules {
namespace {

// kernel → fill → copy → child graph of one kernel → kernel, mirrored by a clone with a probe.
class MirrorRules : public RuleTest {
 protected:
  MirrorRules() {
    const Graph inner = MakeGraph();
    AddKernel(inner, {}, sums_, 5);
    const CUgraphNode first = AddKernel(graph_, {}, sums_, 1);
    const CUgraphNode fill = AddFill(graph_, {first}, filled_, 3);
    const CUgraphNode copy = AddCopy(graph_, {fill}, copied_, filled_);
    CUgraphNode child = nullptr;
    Must(cuGraphAddChildGraphNode(&child, graph_, &copy, 1, inner));
    const CUgraphNode last = AddKernel(graph_, {child, first}, sums_, 1);
    clone_ = Clone(graph_);
    first_ = InClone(first, clone_);
    fill_ = InClone(fill, clone_);
    copy_ = InClone(copy, clone_);
    child_ = InClone(child, clone_);
    last_ = InClone(last, clone_);
    const CUgraphNode probe = AddKernel(clone_, {first_}, probed_, 100);
    Connect(clone_, probe, last_);
    Disconnect(clone_, first_, last_);
    shadow_ = Instantiate(clone_);
  }

  void RunShadow() {
    for (Buffer* buffer : {&sums_, &filled_, &copied_, &other_, &probed_}) buffer->Clear();
    Replay(shadow_, stream_);
    EXPECT_EQ(probed_.First(), 100);
  }

  Buffer sums_, filled_, copied_, other_, probed_;
  Graph graph_ = MakeGraph(), clone_;
  CUgraphNode first_, fill_, copy_, child_, last_;
  Exec shadow_;
};

TEST_F(MirrorRules, OneUpdateCarriesKernelFillAndCopyParametersSetOnTheClone) {
  RunShadow();
  EXPECT_EQ(sums_.First(), 7);
  EXPECT_EQ(copied_.First(), 3);
  const AddParameters ten(sums_, 10);
  const CUDA_MEMSET_NODE_PARAMS fill = FillParameters(filled_, 4);
  const CUDA_MEMCPY3D copy = CopyParameters(other_, filled_);
  EXPECT_EQ(cuGraphKernelNodeSetParams(last_, ten.get()), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphMemsetNodeSetParams(fill_, &fill), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphMemcpyNodeSetParams(copy_, &copy), CUDA_SUCCESS);
  RunShadow();
  EXPECT_EQ(sums_.First(), 7) << "nothing changes before the update";
  EXPECT_EQ(Update(shadow_, clone_), CUDA_SUCCESS);
  RunShadow();
  EXPECT_EQ(sums_.First(), 16);
  EXPECT_EQ(copied_.First(), 0);
  EXPECT_EQ(other_.First(), 4);
}

TEST_F(MirrorRules, OneUpdateCarriesParametersSetInsideTheClonesChildGraph) {
  CUgraph inner = nullptr;
  Must(cuGraphChildGraphNodeGetGraph(child_, &inner));
  const AddParameters fifty(sums_, 50);
  EXPECT_EQ(cuGraphKernelNodeSetParams(Nodes(inner).front(), fifty.get()), CUDA_SUCCESS);
  EXPECT_EQ(Update(shadow_, clone_), CUDA_SUCCESS);
  RunShadow();
  EXPECT_EQ(sums_.First(), 52);
}

TEST_F(MirrorRules, ADisabledNodeStaysDisabledAfterAnUpdate) {
  Must(cuGraphNodeSetEnabled(shadow_, first_, 0));
  RunShadow();
  EXPECT_EQ(sums_.First(), 6);
  EXPECT_EQ(Update(shadow_, clone_), CUDA_SUCCESS);
  unsigned enabled = 1;
  Must(cuGraphNodeGetEnabled(shadow_, first_, &enabled));
  EXPECT_EQ(enabled, 0U);
  RunShadow();
  EXPECT_EQ(sums_.First(), 6);
  Must(cuGraphNodeSetEnabled(shadow_, first_, 1));
  RunShadow();
  EXPECT_EQ(sums_.First(), 7);
}

TEST_F(MirrorRules, SetParamsOnAGraphsNodeLeavesItsExecutablesAlone) {
  const AddParameters ten(sums_, 10);
  Must(cuGraphKernelNodeSetParams(last_, ten.get()));
  RunShadow();
  EXPECT_EQ(sums_.First(), 7);
}

}  // namespace
}  // namespace rules
