// Conditional nodes: which body runs, and what a graph that has them may not.
#include <array>

#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

constexpr unsigned kNoDefault = 0;

CUgraphConditionalHandle MakeHandle(CUgraph graph, unsigned value,
                                    unsigned flags = CU_GRAPH_COND_ASSIGN_DEFAULT) {
  CUgraphConditionalHandle handle = 0;
  Must(cuGraphConditionalHandleCreate(&handle, graph, CurrentContext(), value, flags));
  return handle;
}

struct Conditional {
  CUgraphNode node = nullptr;
  std::vector<CUgraph> bodies;
};

Conditional AddConditional(CUgraph graph, std::initializer_list<CUgraphNode> after,
                           CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
                           unsigned bodies) {
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = handle;
  parameters.conditional.type = type;
  parameters.conditional.size = bodies;
  parameters.conditional.ctx = CurrentContext();
  Conditional added;
  Must(cuGraphAddNode(&added.node, graph, data(after), nullptr, after.size(), &parameters));
  const CUgraph* made = parameters.conditional.phGraph_out;
  added.bodies.assign(made, made + bodies);
  return added;
}

// A kernel of one thread.
CUgraphNode AddSingle(CUgraph graph, std::initializer_list<CUgraphNode> after, CUfunction function,
                      std::array<void*, 2> arguments) {
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.func = function;
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments.data();
  CUgraphNode node = nullptr;
  Must(cuGraphAddKernelNode(&node, graph, data(after), after.size(), &parameters));
  return node;
}

// A node that sets the variable to `value`.
CUgraphNode AddSet(CUgraph graph, CUgraphConditionalHandle handle, unsigned value) {
  return AddSingle(graph, {}, SetConditional(), {&handle, &value});
}

// A node that counts *left down and sets the variable to whether it is above zero.
CUgraphNode AddCountDown(CUgraph graph, CUgraphNode after, CUgraphConditionalHandle handle,
                         const Buffer& left) {
  int* counter = left.pointer();
  return AddSingle(graph, {after}, CountDown(), {&handle, &counter});
}

class ConditionalRules : public RuleTest {
 protected:
  ConditionalRules() {
    SetConditional();  // loaded before any capture begins
    CountDown();
  }

  // A graph whose IF node, with one body, adds 1 when `value` is not zero.
  Conditional AddIf(unsigned value) {
    const CUgraphConditionalHandle handle = MakeHandle(graph_, value);
    Conditional made = AddConditional(graph_, {}, handle, CU_GRAPH_COND_TYPE_IF, 1);
    AddKernel(made.bodies[0], {}, sums_, 1);
    return made;
  }

  Graph graph_ = MakeGraph();
  Buffer sums_, left_;
};

TEST_F(ConditionalRules, AnIfRunsItsBodyWhenTheVariableIsNotZero) {
  for (const unsigned value : {0U, 1U, 7U}) {
    graph_ = MakeGraph();
    AddIf(value);
    sums_.Clear();
    Replay(Instantiate(graph_), stream_);
    EXPECT_EQ(sums_.First(), value != 0 ? 1 : 0) << value;
  }
}

TEST_F(ConditionalRules, AnIfWithTwoBodiesRunsTheSecondWhenTheVariableIsZero) {
  for (const unsigned value : {0U, 1U}) {
    graph_ = MakeGraph();
    const Conditional both =
        AddConditional(graph_, {}, MakeHandle(graph_, value), CU_GRAPH_COND_TYPE_IF, 2);
    AddKernel(both.bodies[0], {}, sums_, 1);
    AddKernel(both.bodies[1], {}, sums_, 10);
    sums_.Clear();
    Replay(Instantiate(graph_), stream_);
    EXPECT_EQ(sums_.First(), value != 0 ? 1 : 10);
  }
}

TEST_F(ConditionalRules, ASwitchRunsTheBodyOfTheVariablesNumberOrNone) {
  const std::array<int, 4> expected{1, 10, 100, 0};
  for (unsigned value = 0; value < expected.size(); ++value) {
    graph_ = MakeGraph();
    const Conditional three =
        AddConditional(graph_, {}, MakeHandle(graph_, value), CU_GRAPH_COND_TYPE_SWITCH, 3);
    int added = 1;
    for (const CUgraph body : three.bodies) {
      AddKernel(body, {}, sums_, added);
      added *= 10;
    }
    sums_.Clear();
    Replay(Instantiate(graph_), stream_);
    EXPECT_EQ(sums_.First(), expected[value]) << value;
  }
}

TEST_F(ConditionalRules, AWhileRunsItsBodyUntilAKernelSetsTheVariableToZero) {
  const CUgraphConditionalHandle handle = MakeHandle(graph_, 1);
  const Conditional loop = AddConditional(graph_, {}, handle, CU_GRAPH_COND_TYPE_WHILE, 1);
  const CUgraphNode add = AddKernel(loop.bodies[0], {}, sums_, 1);
  AddCountDown(loop.bodies[0], add, handle, left_);
  const Exec exec = Instantiate(graph_);
  for (const int rounds : {1, 5}) {
    sums_.Clear();
    Must(cuMemsetD32(left_.address(), rounds, 1));
    Must(cuCtxSynchronize());
    Replay(exec, stream_);
    EXPECT_EQ(sums_.First(), rounds);
  }
}

TEST_F(ConditionalRules, AKernelBeforeTheNodeSetsTheVariable) {
  const CUgraphConditionalHandle handle = MakeHandle(graph_, kNoDefault, 0);
  const CUgraphNode set = AddSet(graph_, handle, 2);
  const Conditional two = AddConditional(graph_, {set}, handle, CU_GRAPH_COND_TYPE_SWITCH, 3);
  AddKernel(two.bodies[0], {}, sums_, 1);
  AddKernel(two.bodies[1], {}, sums_, 10);
  AddKernel(two.bodies[2], {}, sums_, 100);
  Replay(Instantiate(graph_), stream_);
  EXPECT_EQ(sums_.First(), 100);
}

TEST_F(ConditionalRules, TheDefaultIsAssignedAtTheBeginningOfEachLaunch) {
  const CUgraphConditionalHandle handle = MakeHandle(graph_, 1);
  const Conditional once = AddConditional(graph_, {}, handle, CU_GRAPH_COND_TYPE_IF, 1);
  AddKernel(once.bodies[0], {}, sums_, 1);
  AddSet(once.bodies[0], handle, 0);
  const Exec exec = Instantiate(graph_);
  for (int i = 0; i < 3; ++i) Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 3);
}

TEST_F(ConditionalRules, WhatFollowsTheNodeRunsAfterItsBody) {
  const Conditional made = AddIf(1);
  AddFill(graph_, {made.node}, sums_, 50);
  Replay(Instantiate(graph_), stream_);
  EXPECT_EQ(sums_.First(), 50);
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  Must(cuGraphNodeGetType(made.node, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_CONDITIONAL);
  EXPECT_EQ(Nodes(graph_).size(), 2U);
}

TEST_F(ConditionalRules, SuchAGraphIsNotCloned) {
  AddIf(1);
  Graph clone;
  EXPECT_EQ(cuGraphClone(clone.Out(), graph_), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(ConditionalRules, SuchAGraphHasOneExecutableAtATime) {
  AddIf(1);
  Exec first = Instantiate(graph_), second;
  EXPECT_EQ(cuGraphInstantiate(second.Out(), graph_, 0), CUDA_ERROR_NOT_SUPPORTED);
  first.Reset();
  EXPECT_EQ(cuGraphInstantiate(second.Out(), graph_, 0), CUDA_SUCCESS);
  Replay(second, stream_);
  EXPECT_EQ(sums_.First(), 1);
}

TEST_F(ConditionalRules, SuchAGraphIsNoChild) {
  AddIf(1);
  const Graph parent = MakeGraph();
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddChildGraphNode(&node, parent, nullptr, 0, graph_), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(ConditionalRules, NodesAndEdgesOfSuchAGraphCanBeRemoved) {
  const Conditional made = AddIf(1);
  const CUgraphNode add = AddKernel(graph_, {made.node}, sums_, 10);
  Disconnect(graph_, made.node, add);
  EXPECT_EQ(cuGraphDestroyNode(add), CUDA_SUCCESS);
  Replay(Instantiate(graph_), stream_);
  EXPECT_EQ(sums_.First(), 1);
}

TEST_F(ConditionalRules, ABodyMayNotHoldAHostNode) {
  const Conditional made = AddIf(1);
  CUDA_HOST_NODE_PARAMS host{};
  host.fn = [](void*) {};
  CUgraphNode node = nullptr;
  CUresult result = cuGraphAddHostNode(&node, made.bodies[0], nullptr, 0, &host);
  Exec exec;
  if (result == CUDA_SUCCESS) result = cuGraphInstantiate(exec.Out(), graph_, 0);
  EXPECT_EQ(result, CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ConditionalRules, ABodyHoldsChildrenCopiesFillsAndConditionalNodes) {
  const CUgraph body =
      AddConditional(graph_, {}, MakeHandle(graph_, 1), CU_GRAPH_COND_TYPE_IF, 1).bodies[0];
  const Conditional inner =
      AddConditional(body, {}, MakeHandle(graph_, 1), CU_GRAPH_COND_TYPE_IF, 1);
  const CUgraphNode fill = AddFill(inner.bodies[0], {}, left_, 5);
  AddCopy(inner.bodies[0], {fill}, sums_, left_);
  const Graph child = MakeGraph();
  AddKernel(child, {}, sums_, 10);
  CUgraphNode node = nullptr;
  ASSERT_EQ(cuGraphAddChildGraphNode(&node, body, &inner.node, 1, child), CUDA_SUCCESS);
  Replay(Instantiate(graph_), stream_);
  EXPECT_EQ(sums_.First(), 15);
}

TEST_F(ConditionalRules, ABodyIsFilledByACapture) {
  const Conditional made =
      AddConditional(graph_, {}, MakeHandle(graph_, 1), CU_GRAPH_COND_TYPE_IF, 1);
  Must(cuStreamBeginCaptureToGraph(stream_, made.bodies[0], nullptr, nullptr, 0,
                                   CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  LaunchAdd(stream_, sums_, 1);
  LaunchAdd(stream_, sums_, 2);
  CUgraph captured = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream_, &captured), CUDA_SUCCESS);
  EXPECT_EQ(captured, made.bodies[0]);
  EXPECT_EQ(Nodes(made.bodies[0]).size(), 2U);
  Replay(Instantiate(graph_), stream_);
  EXPECT_EQ(sums_.First(), 3);
}

TEST_F(ConditionalRules, AVariableWithoutANodeIsNotInstantiated) {
  AddKernel(graph_, {}, sums_, 1);
  MakeHandle(graph_, 1);
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters{};
  Exec exec;
  EXPECT_NE(cuGraphInstantiateWithParams(exec.Out(), graph_, &parameters), CUDA_SUCCESS);
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
}

TEST_F(ConditionalRules, ParametersOfABodysNodeAreSetInTheExecutable) {
  const Conditional made =
      AddConditional(graph_, {}, MakeHandle(graph_, 1), CU_GRAPH_COND_TYPE_IF, 1);
  const CUgraphNode add = AddKernel(made.bodies[0], {}, sums_, 1);
  const Exec exec = Instantiate(graph_);
  const AddParameters ten(sums_, 10);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, add, ten.get()), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 10);
}

TEST_F(ConditionalRules, AnUpdateReachesBodiesAndDefaults) {
  AddIf(1);
  const Exec exec = Instantiate(graph_);
  Graph incoming = MakeGraph();
  const Conditional other =
      AddConditional(incoming, {}, MakeHandle(incoming, 1), CU_GRAPH_COND_TYPE_IF, 1);
  AddKernel(other.bodies[0], {}, sums_, 10);
  EXPECT_EQ(Update(exec, incoming), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 10);
  incoming = MakeGraph();
  const Conditional off =
      AddConditional(incoming, {}, MakeHandle(incoming, 0), CU_GRAPH_COND_TYPE_IF, 1);
  AddKernel(off.bodies[0], {}, sums_, 100);
  EXPECT_EQ(Update(exec, incoming), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 10);
}

}  // namespace
}  // namespace rules
