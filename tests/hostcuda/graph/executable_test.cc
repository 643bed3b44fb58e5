// Executables: spellings of instantiate, launches in order, parameters of launches in flight,
// faults.
#include <atomic>
#include <thread>

#include "tests/hostcuda/graph/graph_fixture.h"

namespace hostcuda::test {
namespace {

using ExecutableTest = GraphTest;

void CountCall(void* count) { ++*static_cast<std::atomic<int>*>(count); }

CUgraphNode AddHost(CUgraph graph, const std::vector<CUgraphNode>& dependencies,
                    std::atomic<int>* count) {
  CUDA_HOST_NODE_PARAMS params{&CountCall, count};
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddHostNode(&node, graph, dependencies.data(), dependencies.size(), &params),
            CUDA_SUCCESS);
  return node;
}

TEST_F(ExecutableTest, RunsNodesBehindTheirDependencies) {
  CUgraph graph = NewGraph();
  CUgraphNode add = AddKernel(graph, {}, 1);
  CUgraphNode fill = AddFill(graph, {}, 0x40000000);  // 2.0f, created later, runs first
  ASSERT_EQ(cuGraphAddDependencies(graph, &fill, &add, nullptr, 1), CUDA_SUCCESS);
  CUgraphExec executable = Instantiate(graph);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(Run(executable), 3);
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(executable, stream_), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ExecutableTest, RefusesACycleAndNamesANodeOfIt) {
  CUgraph graph = NewGraph();
  CUgraphNode a = AddKernel(graph, {}, 1);
  CUgraphNode b = AddKernel(graph, {a}, 1);
  ASSERT_EQ(cuGraphAddDependencies(graph, &b, &a, nullptr, 1), CUDA_SUCCESS);
  CUgraphExec executable = nullptr;
  EXPECT_EQ(cuGraphInstantiate(&executable, graph, 0), CUDA_ERROR_INVALID_VALUE);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  EXPECT_EQ(cuGraphInstantiateWithParams(&executable, graph, &params), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
  EXPECT_EQ(params.hErrNode_out, a);
  cuGraphDestroy(graph);
}

TEST_F(ExecutableTest, KeepsItsFlags) {
  CUgraph graph = NewGraph();
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.flags =
      CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
  params.hUploadStream = stream_;
  CUgraphExec executable = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithParams(&executable, graph, &params), CUDA_SUCCESS);
  EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  cuuint64_t flags = 0;
  ASSERT_EQ(cuGraphExecGetFlags(executable, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, cuuint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH});
  EXPECT_EQ(cuGraphInstantiate(&executable, graph, 1u << 10), CUDA_ERROR_INVALID_VALUE);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

TEST_F(ExecutableTest, LaunchesOfOneFollowOneAnotherThoseOfTwoDoNot) {
  CUgraph graph = NewGraph();
  std::atomic<int> count = 0;
  CUgraphNode hold = nullptr;
  CUDA_KERNEL_NODE_PARAMS params = Hold();
  ASSERT_EQ(cuGraphAddKernelNode(&hold, graph, nullptr, 0, &params), CUDA_SUCCESS);
  AddHost(graph, {hold}, &count);
  CUgraph quick = NewGraph();
  AddHost(quick, {}, &count);
  CUgraphExec held = Instantiate(graph);
  CUgraphExec free = Instantiate(quick);

  ASSERT_EQ(cuGraphLaunch(held, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(free, other_), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(other_), CUDA_SUCCESS);  // did not wait for the one that is held
  EXPECT_EQ(count, 1);
  ASSERT_EQ(cuGraphLaunch(held, other_), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(other_), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(cuGraphExecDestroy(held), CUDA_SUCCESS);  // also while it runs
  while (cuStreamQuery(other_) == CUDA_ERROR_NOT_READY) {
    hostcuda_release_endless_kernels();
    std::this_thread::yield();
  }
  EXPECT_EQ(count, 3);
  cuGraphExecDestroy(free);
  cuGraphDestroy(quick);
  cuGraphDestroy(graph);
}

TEST_F(ExecutableTest, ALaunchKeepsTheParametersItWasMadeWith) {
  CUgraph graph = NewGraph();
  CUgraphNode hold = nullptr;
  CUDA_KERNEL_NODE_PARAMS params = Hold();
  ASSERT_EQ(cuGraphAddKernelNode(&hold, graph, nullptr, 0, &params), CUDA_SUCCESS);
  CUgraphNode add = AddKernel(graph, {hold}, 1);
  CUgraphExec executable = Instantiate(graph);
  ASSERT_EQ(cuGraphLaunch(executable, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphExecKernelNodeSetParams(executable, add, &Add(10)->params), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphNodeSetEnabled(executable, hold, 0), CUDA_SUCCESS);
  while (cuStreamQuery(stream_) == CUDA_ERROR_NOT_READY) {
    hostcuda_release_endless_kernels();
    std::this_thread::yield();
  }
  EXPECT_EQ(First(), 1);
  EXPECT_EQ(Run(executable), 10);
  CUDA_KERNEL_NODE_PARAMS template_params{};
  ASSERT_EQ(cuGraphKernelNodeGetParams(add, &template_params), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<float*>(template_params.kernelParams[1]), 1);  // the graph stays
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

TEST_F(ExecutableTest, AFaultEndsTheRunAndTheContext) {
  CUgraph graph = NewGraph();
  std::atomic<int> count = 0;
  CUgraphNode first = AddHost(graph, {}, &count);
  CUgraphNode fault = nullptr;
  CUDA_KERNEL_NODE_PARAMS params = Fault();
  ASSERT_EQ(cuGraphAddKernelNode(&fault, graph, &first, 1, &params), CUDA_SUCCESS);
  AddHost(graph, {fault}, &count);
  CUgraphExec executable = Instantiate(graph);
  ASSERT_EQ(cuGraphLaunch(executable, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cuGraphLaunch(executable, stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuStreamSynchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

TEST_F(ExecutableTest, EventNodesMeetEventsOutside) {
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  CUgraph graph = NewGraph();
  CUgraphNode wait = nullptr;
  CUgraphNode record = nullptr;
  // Waits for the record before the launch, not for its own one.
  ASSERT_EQ(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, event), CUDA_SUCCESS);
  CUgraphNode add = AddKernel(graph, {wait}, 1);
  ASSERT_EQ(cuGraphAddEventRecordNode(&record, graph, &add, 1, event), CUDA_SUCCESS);
  CUgraphExec executable = Instantiate(graph);
  ASSERT_EQ(cuGraphLaunch(executable, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(executable, stream_), CUDA_SUCCESS);
  ASSERT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(First(), 2);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
}

TEST_F(ExecutableTest, ManyThreadsAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  CUgraph graph = NewGraph();
  CUgraphNode add = AddKernel(graph, {}, 1);
  CUgraphExec shared = Instantiate(graph);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      ASSERT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
      CUstream stream = nullptr;
      ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
      for (int round = 0; round < kRounds; ++round) {
        EXPECT_EQ(cuGraphLaunch(shared, stream), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphExecKernelNodeSetParams(shared, add, &Add(1)->params), CUDA_SUCCESS);
        CUgraph clone = Clone(graph);
        cuGraphExecDestroy(Instantiate(clone));
        cuGraphDestroy(clone);
      }
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(First(), kThreads * kRounds);  // one after another, or some would be lost
  cuGraphExecDestroy(shared);
  cuGraphDestroy(graph);
}

}  // namespace
}  // namespace hostcuda::test
