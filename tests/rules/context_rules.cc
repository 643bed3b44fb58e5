// Several contexts on one device: what belongs to a context, and what may go from one to another.
#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

// A context of its own, current while it lives.
class SecondContext {
 public:
  SecondContext() { Must(cuCtxCreate(&context_, nullptr, 0, 0)); }
  ~SecondContext() { Destroy(); }
  SecondContext(const SecondContext&) = delete;
  SecondContext& operator=(const SecondContext&) = delete;

  CUcontext get() const { return context_; }
  void Destroy() {
    if (context_ != nullptr) cuCtxDestroy(context_);
    context_ = nullptr;
  }

 private:
  CUcontext context_ = nullptr;
};

class ContextRules : public RuleTest {
 protected:
  Buffer sums_;
  CUcontext primary_ = CurrentContext();
};

TEST_F(ContextRules, ANewContextIsCurrentUntilItIsDestroyed) {
  SecondContext second;
  EXPECT_NE(second.get(), primary_);
  EXPECT_EQ(CurrentContext(), second.get());
  second.Destroy();
  EXPECT_EQ(CurrentContext(), primary_);
}

TEST_F(ContextRules, AStreamTellsItsContextWhicheverIsCurrent) {
  const SecondContext second;
  CUcontext told = nullptr;
  Must(cuStreamGetCtx(stream_, &told));
  EXPECT_EQ(told, primary_);
}

TEST_F(ContextRules, EachContextHasItsOwnFunctionOfAKernel) {
  const CUfunction first = AddTo();
  const SecondContext second;
  const CUfunction other = AddTo();
  EXPECT_NE(first, other);
  const OwnedStream stream = MakeStream();
  const Buffer sums;
  int* data = sums.pointer();
  int count = Buffer::kCount, value = 1;
  void* arguments[] = {&data, &count, &value};
  EXPECT_EQ(cuLaunchKernel(first, 1, 1, 1, Buffer::kCount, 1, 1, 0, stream, arguments, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(other, 1, 1, 1, Buffer::kCount, 1, 1, 0, stream, arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(sums.First(), 1);
}

TEST_F(ContextRules, AnEventIsRecordedInItsContextAndWaitedForInAny) {
  const Event event = MakeEvent();
  const SecondContext second;
  const OwnedStream stream = MakeStream();
  EXPECT_EQ(cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
  Must(cuEventRecord(event, stream_));
  EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
  Must(cuStreamSynchronize(stream));
  EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
}

TEST_F(ContextRules, AGraphIsLaunchedOnAStreamOfAnotherContext) {
  const Graph graph = MakeGraph();
  AddKernel(graph, {}, sums_, 1);
  const Exec exec = Instantiate(graph);
  {
    const SecondContext second;
    const OwnedStream stream = MakeStream();
    EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    Must(cuStreamSynchronize(stream));
  }
  EXPECT_EQ(sums_.First(), 1);
}

TEST_F(ContextRules, AKernelNodeTellsTheContextOfItsFunction) {
  const Graph graph = MakeGraph();
  const SecondContext second;
  const Buffer other;
  const CUgraphNode node = AddKernel(graph, {}, other, 1);
  Must(cuCtxSetCurrent(primary_));
  CUDA_KERNEL_NODE_PARAMS told{};
  Must(cuGraphKernelNodeGetParams(node, &told));
  EXPECT_EQ(told.ctx, second.get());
  Must(cuCtxSetCurrent(second.get()));
}

TEST_F(ContextRules, AGraphHoldsNodesOfTwoContexts) {
  Graph graph = MakeGraph();
  const CUgraphNode first = AddKernel(graph, {}, sums_, 1);
  const SecondContext second;
  const Buffer other;
  AddKernel(graph, {first}, other, 10);
  Exec exec = Instantiate(graph);
  const OwnedStream stream = MakeStream();
  Replay(exec, stream);
  EXPECT_EQ(other.First(), 10);
  Must(cuCtxSetCurrent(primary_));
  EXPECT_EQ(sums_.First(), 1);
  Must(cuCtxSetCurrent(second.get()));
  exec.Reset();
  graph.Reset();
}

TEST_F(ContextRules, WhatAContextOwnsEndsWithIt) {
  SecondContext second;
  CUstream stream = nullptr;
  Must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr memory = 0;
  Must(cuMemAlloc(&memory, 64));
  second.Destroy();
  CUdeviceptr base = 0;
  EXPECT_NE(cuMemGetAddressRange(&base, nullptr, memory), CUDA_SUCCESS);
}

TEST_F(ContextRules, MemoryOfAPoolOutlivesTheContextThatAskedForIt) {
  SecondContext second;
  const CUdeviceptr memory = [] {
    CUdeviceptr allocated = 0;
    const OwnedStream stream = MakeStream();
    Must(cuMemAllocAsync(&allocated, 64, stream));
    Must(cuStreamSynchronize(stream));
    return allocated;
  }();
  second.Destroy();
  EXPECT_EQ(cuMemsetD8Async(memory, 1, 64, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(memory, stream_), CUDA_SUCCESS);
  Must(cuStreamSynchronize(stream_));
}

}  // namespace
}  // namespace rules
