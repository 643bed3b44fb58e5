// Streams and events: order, waits, the default streams, an endless kernel.
#include <array>
#include <atomic>
#include <thread>

#include "tests/hostcuda/driver/driver_fixture.h"

extern "C" CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void* data);
extern "C" CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long* id);

namespace hostcuda {
namespace {

void Spin(const Grid&, std::atomic<bool>* started) {
  *started = true;
  started->notify_all();
  hostcuda_wait_for_release();
}

const Twin spin("_Z4spinPb", &Spin);

void SetFlag(void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }

// Starts an endless kernel on a stream and returns once it runs.
class EndlessTest : public DriverTest {
 protected:
  void Start(CUstream stream) {
    std::atomic<bool>* started = &started_;
    std::array<void*, 1> parameters{&started};
    ASSERT_EQ(Launch(Find("_Z4spinPb"), stream, parameters.data()), CUDA_SUCCESS);
    started_.wait(false);
  }

  // Whether the flag is set by the time that `stream` is idle, without the endless kernel's end.
  static CUresult RunsBeside(CUstream stream, std::atomic<bool>* flag) {
    EXPECT_EQ(cuLaunchHostFunc(stream, &SetFlag, flag), CUDA_SUCCESS);
    return cuStreamSynchronize(stream);
  }

  std::atomic<bool> started_{false};
};

TEST_F(EndlessTest, EndsOnRequest) {
  CUstream stream = MakeStream(CU_STREAM_NON_BLOCKING);
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
  Start(stream);
  ASSERT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  hostcuda_release_endless_kernels();
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
}

TEST_F(EndlessTest, NonBlockingStreamsAndTheLegacyStreamDoNotWait) {
  Start(MakeStream(CU_STREAM_NON_BLOCKING));
  std::atomic<bool> flag{false};
  EXPECT_EQ(RunsBeside(nullptr, &flag), CUDA_SUCCESS);
  EXPECT_TRUE(flag);
  std::atomic<bool> other{false};
  EXPECT_EQ(RunsBeside(MakeStream(CU_STREAM_DEFAULT), &other), CUDA_SUCCESS);
  EXPECT_TRUE(other);
}

TEST_F(EndlessTest, LegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  CUstream first = MakeStream(CU_STREAM_DEFAULT);
  CUstream second = MakeStream(CU_STREAM_DEFAULT);
  Start(first);
  std::atomic<bool> flag{false};
  EXPECT_EQ(RunsBeside(second, &flag), CUDA_SUCCESS);
  std::atomic<bool> legacy{false};
  std::atomic<bool> behind{false};
  ASSERT_EQ(cuLaunchHostFunc(CU_STREAM_LEGACY, &SetFlag, &legacy), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchHostFunc(second, &SetFlag, &behind), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  EXPECT_FALSE(legacy);
  EXPECT_FALSE(behind);
  hostcuda_release_endless_kernels();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(legacy);
  EXPECT_TRUE(behind);
}

TEST_F(EndlessTest, WaitOnAnEventHoldsTheStreamUntilThatRecord) {
  CUstream producer = MakeStream(CU_STREAM_NON_BLOCKING);
  CUstream consumer = MakeStream(CU_STREAM_NON_BLOCKING);
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  Start(producer);
  ASSERT_EQ(cuEventRecord(event, producer), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(consumer, event, 0), CUDA_SUCCESS);
  std::atomic<bool> flag{false};
  ASSERT_EQ(cuLaunchHostFunc(consumer, &SetFlag, &flag), CUDA_SUCCESS);
  // A later record elsewhere changes what query says, not what the consumer waits for.
  CUstream idle = MakeStream(CU_STREAM_NON_BLOCKING);
  ASSERT_EQ(cuEventRecord(event, idle), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(consumer), CUDA_ERROR_NOT_READY);
  EXPECT_FALSE(flag);
  ASSERT_EQ(cuEventDestroy(event), CUDA_SUCCESS);
  hostcuda_release_endless_kernels();
  EXPECT_EQ(cuStreamSynchronize(consumer), CUDA_SUCCESS);
  EXPECT_TRUE(flag);
}

TEST_F(EndlessTest, DestroyedStreamFinishesItsWork) {
  CUstream stream = MakeStream(CU_STREAM_NON_BLOCKING);
  Start(stream);
  std::atomic<bool> flag{false};
  ASSERT_EQ(cuLaunchHostFunc(stream, &SetFlag, &flag), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  hostcuda_release_endless_kernels();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(flag);
}

TEST_F(DriverTest, EachThreadHasADefaultStreamOfItsOwn) {
  unsigned long long legacy = 0, own = 0, own_by_name = 0, other = 0;
  ASSERT_EQ(cuStreamGetId(nullptr, &legacy), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamGetId_ptsz(nullptr, &own), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamGetId(CU_STREAM_PER_THREAD, &own_by_name), CUDA_SUCCESS);
  std::thread([&] {
    EXPECT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamGetId_ptsz(nullptr, &other), CUDA_SUCCESS);
  }).join();
  EXPECT_NE(own, legacy);
  EXPECT_EQ(own, own_by_name);
  EXPECT_NE(other, own);
  std::atomic<bool> flag{false};
  ASSERT_EQ(cuLaunchHostFunc_ptsz(nullptr, &SetFlag, &flag), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
  EXPECT_TRUE(flag);
}

TEST_F(DriverTest, ElapsedTimeNeedsTwoTimedAndFinishedRecords) {
  CUevent start = nullptr, end = nullptr, untimed = nullptr;
  ASSERT_EQ(cuEventCreate(&start, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&end, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
  for (CUevent event : {start, untimed, end}) {
    ASSERT_EQ(cuEventRecord(event, nullptr), CUDA_SUCCESS);
  }
  ASSERT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
}  // namespace hostcuda
