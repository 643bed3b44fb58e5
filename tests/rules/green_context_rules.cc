// Green contexts: which context their streams and nodes tell, and whose kernels run in them.
#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

class GreenContext {
 public:
  GreenContext() {
    CUdevResource all{}, part{};
    CUdevResourceDesc description = nullptr;
    unsigned groups = 1;
    Must(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    Must(cuDevSmResourceSplitByCount(&part, &groups, &all, nullptr, 0, 8));
    Must(cuDevResourceGenerateDesc(&description, &part, 1));
    Must(cuGreenCtxCreate(&green_, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    Must(cuGreenCtxStreamCreate(&stream_, green_, CU_STREAM_NON_BLOCKING, 0));
    Must(cuCtxFromGreenCtx(&context_, green_));
  }
  ~GreenContext() {
    Must(cuStreamDestroy(stream_));
    Must(cuGreenCtxDestroy(green_));
  }
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  CUgreenCtx get() const { return green_; }
  CUstream stream() const { return stream_; }
  CUcontext context() const { return context_; }

 private:
  CUgreenCtx green_ = nullptr;
  CUstream stream_ = nullptr;
  CUcontext context_ = nullptr;
};

class GreenContextRules : public RuleTest {
 protected:
  Graph Capture() {
    Graph graph;
    Must(cuStreamBeginCapture(green_.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    LaunchAdd(green_.stream(), sums_, 1);
    Must(cuStreamEndCapture(green_.stream(), graph.Out()));
    return graph;
  }

  static CUcontext ContextOf(CUgraphNode node) {
    CUDA_KERNEL_NODE_PARAMS told{};
    Must(cuGraphKernelNodeGetParams(node, &told));
    return told.ctx;
  }

  Buffer sums_;
  CUcontext primary_ = CurrentContext();
  GreenContext green_;
};

TEST_F(GreenContextRules, AStreamTellsBothContexts) {
  CUcontext context = nullptr;
  CUgreenCtx green = nullptr;
  ASSERT_EQ(cuStreamGetCtx(green_.stream(), &context), CUDA_SUCCESS);
  EXPECT_EQ(context, green_.context());
  ASSERT_EQ(cuStreamGetCtx_v2(green_.stream(), &context, &green), CUDA_SUCCESS);
  EXPECT_EQ(context, primary_);
  EXPECT_EQ(green, green_.get());
  ASSERT_EQ(cuStreamGetCtx_v2(stream_, &context, &green), CUDA_SUCCESS);
  EXPECT_EQ(context, primary_);
  EXPECT_EQ(green, nullptr);
}

TEST_F(GreenContextRules, ItsStreamsDoNotBlock) {
  CUstream stream = nullptr;
  EXPECT_EQ(cuGreenCtxStreamCreate(&stream, green_.get(), CU_STREAM_DEFAULT, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GreenContextRules, ItIsNoContextToBeDestroyed) {
  EXPECT_EQ(cuCtxDestroy(green_.context()), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(GreenContextRules, ACapturedNodeIsOfTheStreamsContextWhicheverIsCurrent) {
  EXPECT_EQ(ContextOf(Nodes(Capture()).at(0)), green_.context());
  Must(cuCtxPushCurrent(green_.context()));
  EXPECT_EQ(ContextOf(Nodes(Capture()).at(0)), green_.context());
  CUcontext popped = nullptr;
  Must(cuCtxPopCurrent(&popped));
}

TEST_F(GreenContextRules, AnAddedNodeIsOfTheCurrentContextAndRuns) {
  const Graph graph = Capture();
  Graph clone;
  Must(cuGraphClone(clone.Out(), graph));
  const CUgraphNode of_primary = AddKernel(clone, {}, sums_, 10);
  EXPECT_EQ(ContextOf(of_primary), primary_);
  Must(cuCtxPushCurrent(green_.context()));
  const CUgraphNode of_green = AddKernel(clone, {of_primary}, sums_, 100);
  CUcontext popped = nullptr;
  Must(cuCtxPopCurrent(&popped));
  EXPECT_EQ(ContextOf(of_green), green_.context());
  Must(cuGraphAddDependencies(clone, &of_green, Nodes(clone).data(), nullptr, 1));
  const Exec exec = Instantiate(clone);
  Replay(exec, green_.stream());
  EXPECT_EQ(sums_.First(), 111);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 222);
}

TEST_F(GreenContextRules, AModuleLoadedInItIsThePrimarysToo) {
  Must(cuCtxPushCurrent(green_.context()));
  const CUfunction function = AddTo();
  CUcontext popped = nullptr;
  Must(cuCtxPopCurrent(&popped));
  EXPECT_EQ(function, AddTo());
}

}  // namespace
}  // namespace rules
