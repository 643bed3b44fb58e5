// Virtual memory management: ranges, physical memory, mappings, access.
#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

CUmemAllocationProp OnDevice() {
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return prop;
}

// A range of two pieces, each with physical memory of its own.
class VirtualMemoryRules : public RuleTest {
 protected:
  VirtualMemoryRules() {
    const CUmemAllocationProp prop = OnDevice();
    Must(cuMemGetAllocationGranularity(&piece_, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    Must(cuMemAddressReserve(&start_, 2 * piece_, 0, 0, 0));
  }
  ~VirtualMemoryRules() override {
    cuCtxSynchronize();
    if (mapped_) cuMemUnmap(start_, 2 * piece_);
    cuMemAddressFree(start_, 2 * piece_);
  }

  void Map() {
    const CUmemAllocationProp prop = OnDevice();
    for (int i = 0; i < 2; ++i) {
      CUmemGenericAllocationHandle handle = 0;
      Must(cuMemCreate(&handle, piece_, &prop, 0));
      Must(cuMemMap(start_ + i * piece_, piece_, 0, handle, 0));
      Must(cuMemRelease(handle));  // the mapping keeps it
    }
    mapped_ = true;
  }
  CUresult GiveAccess() {
    CUmemAccessDesc access{};
    access.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return cuMemSetAccess(start_, 2 * piece_, &access, 1);
  }

  std::size_t piece_ = 0;
  CUdeviceptr start_ = 0;
  bool mapped_ = false;
};

TEST_F(VirtualMemoryRules, WorkReachesOverMappingsInARow) {
  Map();
  ASSERT_EQ(GiveAccess(), CUDA_SUCCESS);
  const std::size_t words = 2 * piece_ / sizeof(int);
  ASSERT_EQ(cuMemsetD32Async(start_, 5, words, stream_), CUDA_SUCCESS);
  int last = 0;
  Must(cuMemcpyDtoHAsync(&last, start_ + 2 * piece_ - sizeof(int), sizeof(int), stream_));
  Must(cuStreamSynchronize(stream_));
  EXPECT_EQ(last, 5);
}

TEST_F(VirtualMemoryRules, AMappingIsItsOwnRange) {
  Map();
  ASSERT_EQ(GiveAccess(), CUDA_SUCCESS);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  ASSERT_EQ(cuMemGetAddressRange(&base, &bytes, start_ + piece_ + 8), CUDA_SUCCESS);
  EXPECT_EQ(base, start_ + piece_);
  EXPECT_EQ(bytes, piece_);
}

TEST_F(VirtualMemoryRules, AReservedRangeHoldsNothing) {
  CUdeviceptr base = 0;
  EXPECT_NE(cuMemGetAddressRange(&base, nullptr, start_), CUDA_SUCCESS);
  EXPECT_EQ(GiveAccess(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(start_, piece_), CUDA_SUCCESS);
}

TEST_F(VirtualMemoryRules, ARangeIsNotFreedWhileItIsMapped) {
  Map();
  EXPECT_NE(cuMemAddressFree(start_, 2 * piece_), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(start_, 2 * piece_), CUDA_SUCCESS);
  mapped_ = false;
}

TEST_F(VirtualMemoryRules, AHandleIsFoundByAddress) {
  Map();
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_EQ(cuMemRetainAllocationHandle(&handle, reinterpret_cast<void*>(start_)), CUDA_SUCCESS);
  CUmemAllocationProp prop{};
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&prop, handle), CUDA_SUCCESS);
  EXPECT_EQ(prop.location.id, 0);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
}

TEST_F(VirtualMemoryRules, AGraphWorksInMappedMemory) {
  Map();
  ASSERT_EQ(GiveAccess(), CUDA_SUCCESS);
  const Buffer out;
  Graph graph;
  Must(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  Must(cuMemsetD32Async(start_, 3, Buffer::kCount, stream_));
  Must(cuMemcpyDtoDAsync(out.address(), start_, Buffer::kCount * sizeof(int), stream_));
  Must(cuStreamEndCapture(stream_, graph.Out()));
  Replay(Instantiate(graph), stream_);
  EXPECT_EQ(out.First(), 3);
}

}  // namespace
}  // namespace rules
