// Words that streams and graphs write and wait for.
#include "tests/rules/rules.h"

namespace rules {
namespace {

CUstreamBatchMemOpParams WriteOf(CUdeviceptr address, unsigned value) {
  CUstreamBatchMemOpParams one{};
  one.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  one.writeValue.address = address;
  one.writeValue.value = value;
  return one;
}

CUstreamBatchMemOpParams WaitFor(CUdeviceptr address, unsigned value) {
  CUstreamBatchMemOpParams one{};
  one.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  one.waitValue.address = address;
  one.waitValue.value = value;
  one.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  return one;
}

class MemoryOperationRules : public RuleTest {
 protected:
  CUgraphNode AddOperations(CUgraph graph, std::vector<CUstreamBatchMemOpParams> operations) {
    CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{};
    parameters.ctx = CurrentContext();
    parameters.count = static_cast<unsigned>(operations.size());
    parameters.paramArray = operations.data();
    CUgraphNode node = nullptr;
    Must(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &parameters));
    return node;
  }

  Buffer words_;
};

TEST_F(MemoryOperationRules, AStreamWritesAWordAndAnotherWaitsForIt) {
  const OwnedStream other = MakeStream();
  ASSERT_EQ(cuStreamWaitValue32(stream_, words_.address(), 7, CU_STREAM_WAIT_VALUE_EQ),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream_), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(cuStreamWriteValue32(other, words_.address(), 7, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(words_.First(), 7);
}

TEST_F(MemoryOperationRules, ANodeDoesItsOperationsInOrder) {
  const Graph graph = MakeGraph();
  const CUdeviceptr first = words_.address(), second = first + sizeof(int);
  const CUgraphNode node =
      AddOperations(graph, {WriteOf(first, 5), WaitFor(first, 5), WriteOf(second, 6)});
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  Must(cuGraphNodeGetType(node, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  Replay(Instantiate(graph), stream_);
  EXPECT_EQ(words_.Read()[0], 5);
  EXPECT_EQ(words_.Read()[1], 6);
}

TEST_F(MemoryOperationRules, ANodeTellsItsOperations) {
  const Graph graph = MakeGraph();
  const CUgraphNode node = AddOperations(graph, {WriteOf(words_.address(), 5)});
  CUDA_BATCH_MEM_OP_NODE_PARAMS told{};
  ASSERT_EQ(cuGraphBatchMemOpNodeGetParams(node, &told), CUDA_SUCCESS);
  ASSERT_EQ(told.count, 1U);
  EXPECT_EQ(told.paramArray[0].writeValue.address, words_.address());
  EXPECT_EQ(told.paramArray[0].writeValue.value, 5U);
  EXPECT_EQ(told.ctx, CurrentContext());
}

TEST_F(MemoryOperationRules, SuchANodeIsClonedAndChangedInTheExecutable) {
  const Graph graph = MakeGraph();
  const CUgraphNode node = AddOperations(graph, {WriteOf(words_.address(), 5)});
  const Graph clone = Clone(graph);
  const Exec exec = Instantiate(clone);
  CUstreamBatchMemOpParams nine = WriteOf(words_.address(), 9);
  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{CurrentContext(), 1, &nine, 0};
  ASSERT_EQ(cuGraphExecBatchMemOpNodeSetParams(exec, InClone(node, clone), &parameters),
            CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(words_.First(), 9);
}

TEST_F(MemoryOperationRules, ACaptureMakesNodesOfThem) {
  Graph graph;
  Must(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_EQ(cuStreamWriteValue32(stream_, words_.address(), 3, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream_, graph.Out()), CUDA_SUCCESS);
  ASSERT_EQ(Nodes(graph).size(), 1U);
  EXPECT_EQ(words_.First(), 0);
  Replay(Instantiate(graph), stream_);
  EXPECT_EQ(words_.First(), 3);
}

}  // namespace
}  // namespace rules
