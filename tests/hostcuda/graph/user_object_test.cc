// User objects: the destructor runs once, after all that holds a reference.
#include <atomic>
#include <thread>

#include "tests/hostcuda/graph/graph_fixture.h"

namespace hostcuda::test {
namespace {

using UserObjectTest = GraphTest;

void CountCall(void* count) { ++*static_cast<std::atomic<int>*>(count); }

CUuserObject NewObject(std::atomic<int>* destroyed) {
  CUuserObject object = nullptr;
  EXPECT_EQ(
      cuUserObjectCreate(&object, destroyed, &CountCall, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
      CUDA_SUCCESS);
  return object;
}

TEST_F(UserObjectTest, OutlivesGraphExecutableCloneAndShadow) {
  std::atomic<int> destroyed = 0;
  CUgraph graph = NewGraph();
  AddKernel(graph, {}, 1);
  ASSERT_EQ(cuGraphRetainUserObject(graph, NewObject(&destroyed), 1, CU_GRAPH_USER_OBJECT_MOVE),
            CUDA_SUCCESS);
  CUgraph clone = Clone(graph);
  CUgraphExec executable = Instantiate(graph);
  CUgraphExec shadow = Instantiate(clone);
  cuGraphDestroy(graph);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(clone);
  EXPECT_EQ(destroyed, 0);
  cuGraphExecDestroy(shadow);
  EXPECT_EQ(destroyed, 1);
}

TEST_F(UserObjectTest, OutlivesALaunchInFlight) {
  std::atomic<int> destroyed = 0;
  CUgraph graph = NewGraph();
  CUgraphNode hold = nullptr;
  CUDA_KERNEL_NODE_PARAMS params = Hold();
  ASSERT_EQ(cuGraphAddKernelNode(&hold, graph, nullptr, 0, &params), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphRetainUserObject(graph, NewObject(&destroyed), 1, CU_GRAPH_USER_OBJECT_MOVE),
            CUDA_SUCCESS);
  CUgraphExec executable = Instantiate(graph);
  ASSERT_EQ(cuGraphLaunch(executable, stream_), CUDA_SUCCESS);
  cuGraphDestroy(graph);
  cuGraphExecDestroy(executable);
  EXPECT_EQ(destroyed, 0);
  while (cuStreamQuery(stream_) == CUDA_ERROR_NOT_READY) {
    hostcuda_release_endless_kernels();
    std::this_thread::yield();
  }
  EXPECT_EQ(destroyed, 1);
}

TEST_F(UserObjectTest, ReferencesAreCounted) {
  std::atomic<int> destroyed = 0;
  CUuserObject object = NewObject(&destroyed);
  CUgraph graph = NewGraph();
  ASSERT_EQ(cuGraphRetainUserObject(graph, object, 2, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuUserObjectRetain(object, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuUserObjectRelease(object, 2), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphReleaseUserObject(graph, object, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphReleaseUserObject(graph, object, 1), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(cuGraphReleaseUserObject(graph, object, 1), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 1);
  cuGraphDestroy(graph);
}

TEST_F(UserObjectTest, TheDestructorMayCallBack) {
  CUgraph graph = NewGraph();
  CUgraph other = NewGraph();
  CUuserObject object = nullptr;
  CUhostFn destroy = [](void* held) { cuGraphDestroy(static_cast<CUgraph>(held)); };
  ASSERT_EQ(cuUserObjectCreate(&object, other, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(other), CUDA_ERROR_INVALID_VALUE);  // gone already
}

}  // namespace
}  // namespace hostcuda::test
