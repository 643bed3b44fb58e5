// Memory: allocation, ranges, attributes, copies, fills.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/hostcuda/driver/driver_fixture.h"

namespace hostcuda {
namespace {

TEST_F(DriverTest, RangeOfAnAddressIsItsAllocation) {
  CUdeviceptr memory = MakeMemory(1000);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuMemGetAddressRange(&base, &bytes, memory + 999), CUDA_SUCCESS);
  EXPECT_EQ(base, memory);
  EXPECT_EQ(bytes, 1000U);
  ASSERT_EQ(cuMemFree(memory), CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, memory), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverTest, FreeMemoryIsWhatIsNotAllocated) {
  std::size_t before = 0, total = 0, now = 0;
  ASSERT_EQ(cuMemGetInfo(&before, &total), CUDA_SUCCESS);
  CUdeviceptr memory = MakeMemory(1 << 20);
  ASSERT_EQ(cuMemGetInfo(&now, &total), CUDA_SUCCESS);
  EXPECT_EQ(before - now, std::size_t{1} << 20);
  CUdeviceptr none = 0;
  EXPECT_EQ(cuMemAlloc(&none, total), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
}

TEST_F(DriverTest, PointerAttributesTellHostFromDevice) {
  CUdeviceptr device = MakeMemory(64);
  void* pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&pinned, 64, 0), CUDA_SUCCESS);
  unsigned type = 0;
  ASSERT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  auto host = reinterpret_cast<CUdeviceptr>(pinned);
  ASSERT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, host), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_HOST);
  int unknown = 0;
  auto pageable = reinterpret_cast<CUdeviceptr>(&unknown);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pageable),
            CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void* out = &type;
  ASSERT_EQ(cuPointerGetAttributes(1, &attribute, &out, pageable), CUDA_SUCCESS);
  EXPECT_EQ(type, 0U);
  EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
}

TEST_F(DriverTest, RegisteredMemoryIsKnownUntilUnregistered) {
  std::vector<char> buffer(4096);
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemHostGetDevicePointer(&address, buffer.data(), 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemHostRegister(buffer.data(), buffer.size(), 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostRegister(buffer.data() + 100, 10, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  ASSERT_EQ(cuMemHostGetDevicePointer(&address, buffer.data() + 8, 0), CUDA_SUCCESS);
  EXPECT_EQ(address, reinterpret_cast<CUdeviceptr>(buffer.data() + 8));
  ASSERT_EQ(cuMemHostUnregister(buffer.data()), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostUnregister(buffer.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(DriverTest, CopyOfAPitchedBlockKeepsRowsAndColumns) {
  std::array<std::uint8_t, 48> source;
  std::iota(source.begin(), source.end(), std::uint8_t{0});
  CUdeviceptr device = MakeMemory(64);
  ASSERT_EQ(cuMemsetD8(device, 0xEE, 64), CUDA_SUCCESS);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source.data();
  copy.srcPitch = 12;
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.dstPitch = 16;
  copy.WidthInBytes = 3;
  copy.Height = 2;
  ASSERT_EQ(cuMemcpy2D(&copy), CUDA_SUCCESS);
  std::array<std::uint8_t, 64> result{};
  ASSERT_EQ(cuMemcpyDtoH(result.data(), device, result.size()), CUDA_SUCCESS);
  std::array<std::uint8_t, 64> expected;
  expected.fill(0xEE);
  for (std::uint8_t i = 0; i < 3; ++i) {
    expected[i] = static_cast<std::uint8_t>(14 + i);
    expected[16 + i] = static_cast<std::uint8_t>(26 + i);
  }
  EXPECT_EQ(result, expected);
}

TEST_F(DriverTest, CopyOutsideAnAllocationIsRefused) {
  CUdeviceptr device = MakeMemory(64);
  std::array<char, 128> host{};
  EXPECT_EQ(cuMemcpyHtoD(device, host.data(), 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH(host.data(), device + 60, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD(device + 60, host.data(), 4), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32(device + 60, 1, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32(device + 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverTest, PageableSourceMayChangeOnceTheAsyncCopyReturned) {
  CUstream stream = MakeStream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr device = MakeMemory(sizeof(int));
  int value = 41;
  ASSERT_EQ(cuMemcpyHtoDAsync(device, &value, sizeof(value), stream), CUDA_SUCCESS);
  value = 0;
  int result = 0;
  ASSERT_EQ(cuMemcpyDtoHAsync(&result, device, sizeof(result), stream), CUDA_SUCCESS);
  EXPECT_EQ(result, 41);
}

TEST_F(DriverTest, FillsWriteElementsOfTheirSize) {
  CUdeviceptr device = MakeMemory(16);
  ASSERT_EQ(cuMemsetD8(device, 0, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD16(device, 0x1122, 2), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD2D32Async(device + 4, 8, 0xAABBCCDD, 1, 2, nullptr), CUDA_SUCCESS);
  std::array<std::uint32_t, 4> result{};
  ASSERT_EQ(cuMemcpyDtoH(result.data(), device, sizeof(result)), CUDA_SUCCESS);
  EXPECT_THAT(result, testing::ElementsAre(0x11221122, 0xAABBCCDD, 0, 0xAABBCCDD));
}

TEST_F(DriverTest, StreamOrderedFreeHappensBehindEarlierWork) {
  CUstream stream = MakeStream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuMemAllocAsync(&memory, 64, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD8Async(memory, 1, 64, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetAddressRange(nullptr, nullptr, memory), CUDA_ERROR_NOT_FOUND);
}

}  // namespace
}  // namespace hostcuda
