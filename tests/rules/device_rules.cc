// Two devices in one process. A program of its own, since it needs two: with fewer it fails.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "tests/rules/child_process.h"
#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

CUcontext UseDevice(int ordinal) {
  CUcontext context = nullptr;
  Must(cuInit(0));
  Must(cuDevicePrimaryCtxRetain(&context, ordinal));
  Must(cuCtxSetCurrent(context));
  return context;
}

bool AreThereTwo() {
  int count = 0;
  return cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS && count >= 2;
}

int DeviceOf(CUdeviceptr address) {
  int device = -1;
  Must(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address));
  return device;
}

class DeviceRules : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(AreThereTwo()) << "two devices are needed"; }
};

TEST_F(DeviceRules, EachDeviceHasItsContextAndItsMemory) {
  const CUcontext second = UseDevice(1);
  const Buffer on_second;
  const CUcontext first = UseDevice(0);
  const Buffer on_first;
  EXPECT_NE(first, second);
  EXPECT_EQ(DeviceOf(on_first.address()), 0);
  EXPECT_EQ(DeviceOf(on_second.address()), 1);
}

TEST_F(DeviceRules, DevicesTellWhetherTheyReachEachOther) {
  int can = -1, self = -1;
  Must(cuDeviceCanAccessPeer(&can, 0, 1));
  Must(cuDeviceCanAccessPeer(&self, 0, 0));
  EXPECT_EQ(can, 1);
  EXPECT_EQ(self, 0);
}

TEST_F(DeviceRules, AKernelWritesTheMemoryOfAPeer) {
  const CUcontext second = UseDevice(1);
  const Buffer remote;
  const CUcontext first = UseDevice(0);
  const OwnedStream stream = MakeStream();
  ASSERT_EQ(cuCtxEnablePeerAccess(second, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxEnablePeerAccess(second, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  LaunchAdd(stream, remote, 3);
  Must(cuStreamSynchronize(stream));
  EXPECT_EQ(remote.First(), 3);
  EXPECT_EQ(cuCtxDisablePeerAccess(second), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDisablePeerAccess(second), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(cuCtxEnablePeerAccess(first, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

TEST_F(DeviceRules, TheDriverTellsNoPointerToMemoryOutOfReach) {
  const CUcontext second = UseDevice(1);
  const Buffer remote;
  UseDevice(0);
  CUdeviceptr seen = 0;
  const auto ask = [&] {
    return cuPointerGetAttribute(&seen, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, remote.address());
  };
  EXPECT_EQ(ask(), CUDA_ERROR_INVALID_VALUE);
  Must(cuCtxEnablePeerAccess(second, 0));
  EXPECT_EQ(ask(), CUDA_SUCCESS);
  EXPECT_EQ(seen, remote.address());
  Must(cuCtxDisablePeerAccess(second));
}

// Without access.
int ReachTooFar() {
  UseDevice(1);
  const Buffer remote;
  UseDevice(0);
  const OwnedStream stream = MakeStream();
  LaunchAdd(stream, remote, 3);
  const CUresult result = cuStreamSynchronize(stream);
  std::fprintf(stderr, "a kernel that reaches too far: %d\n", result);
  std::_Exit(result == CUDA_ERROR_ILLEGAL_ADDRESS ? 0 : 1);
}

const ChildPart kParts[] = {{"reach_too_far", &ReachTooFar}};

TEST_F(DeviceRules, AKernelWithoutAccessToTheOtherDeviceFails) {
  const int status = RunInChildProcess("reach_too_far");
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(DeviceRules, CopiesBetweenDevicesNeedNoAccess) {
  const CUcontext second = UseDevice(1);
  const Buffer remote;
  const CUcontext first = UseDevice(0);
  const Buffer local;
  constexpr std::size_t kBytes = Buffer::kCount * sizeof(int);
  Must(cuMemsetD32(local.address(), 9, Buffer::kCount));
  Must(cuCtxSynchronize());
  EXPECT_EQ(cuMemcpyPeer(remote.address(), second, local.address(), first, kBytes), CUDA_SUCCESS);
  EXPECT_EQ(remote.First(), 9);
  const OwnedStream stream = MakeStream();
  Must(cuMemsetD32(local.address(), 0, Buffer::kCount));
  Must(cuCtxSynchronize());
  EXPECT_EQ(cuMemcpyPeerAsync(local.address(), first, remote.address(), second, kBytes, stream),
            CUDA_SUCCESS);
  Must(cuStreamSynchronize(stream));
  EXPECT_EQ(local.First(), 9);
}

TEST_F(DeviceRules, APeerCopyBreaksACapture) {
  const CUcontext second = UseDevice(1);
  const Buffer remote;
  const CUcontext first = UseDevice(0);
  const Buffer local;
  const OwnedStream stream = MakeStream();
  Graph graph;
  Must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  LaunchAdd(stream, local, 4);
  EXPECT_EQ(cuMemcpyPeerAsync(remote.address(), second, local.address(), first,
                              Buffer::kCount * sizeof(int), stream),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, graph.Out()), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(DeviceRules, AGraphHoldsKernelsOfBothDevices) {
  const Graph graph = MakeGraph();
  UseDevice(1);
  const Buffer remote;
  const CUgraphNode there = AddKernel(graph, {}, remote, 5);
  UseDevice(0);
  const Buffer local;
  AddKernel(graph, {there}, local, 6);
  const OwnedStream stream = MakeStream();
  Replay(Instantiate(graph), stream);
  EXPECT_EQ(local.First(), 6);
  UseDevice(1);
  EXPECT_EQ(remote.First(), 5);
  UseDevice(0);
}

TEST_F(DeviceRules, APoolGivesOtherDevicesAccess) {
  UseDevice(1);
  const OwnedStream there = MakeStream();
  CUmemoryPool pool = nullptr;
  Must(cuDeviceGetDefaultMemPool(&pool, 1));
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  ASSERT_EQ(cuMemPoolSetAccess(pool, &access, 1), CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  Must(cuMemAllocAsync(&memory, sizeof(int), there));
  Must(cuStreamSynchronize(there));
  UseDevice(0);
  const OwnedStream stream = MakeStream();
  int value = 8, seen = 0;
  std::array<void*, 2> arguments{&memory, &value};
  Must(cuLaunchKernel(StoreAt(), 1, 1, 1, 1, 1, 1, 0, stream, arguments.data(), nullptr));
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  Must(cuMemcpyDtoH(&seen, memory, sizeof(seen)));
  EXPECT_EQ(seen, 8);
  Must(cuMemFree(memory));
}

}  // namespace
}  // namespace rules
