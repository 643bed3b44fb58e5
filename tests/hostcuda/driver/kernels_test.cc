// Functions, parameters, launches, sticky errors.
#include <array>
#include <cstdint>
#include <vector>

#include "tests/hostcuda/driver/driver_fixture.h"

namespace hostcuda {
namespace {

struct Triple {
  float a, b, c;
};

void Store(const Grid& grid, std::uint32_t* out, char small, double factor, Triple triple) {
  out[0] = static_cast<std::uint32_t>(grid.Threads());
  out[1] = static_cast<std::uint32_t>(small);
  out[2] = static_cast<std::uint32_t>(factor);
  out[3] = static_cast<std::uint32_t>(triple.a + triple.b + triple.c);
}

void Add(const Grid&, int* value, int increment) { *value += increment; }

void Fault(const Grid&) { IllegalAccess(); }

const Twin store("_Z5storePjcd6Triple", &Store);
const Twin add("_Z3addPii", &Add);
const Twin fault("_Z5faultv", &Fault);

TEST_F(DriverTest, ParametersLieAsTheCompilerPlacesThem) {
  CUfunction function = Find("_Z5storePjcd6Triple");
  const std::array<std::array<std::size_t, 2>, 4> expected{{{0, 8}, {8, 1}, {16, 8}, {24, 12}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::array<std::size_t, 2> found{};
    ASSERT_EQ(cuFuncGetParamInfo(function, i, &found[0], &found[1]), CUDA_SUCCESS);
    EXPECT_EQ(found, expected[i]) << i;
  }
  std::size_t offset = 0;
  EXPECT_EQ(cuFuncGetParamInfo(function, 4, &offset, nullptr), CUDA_ERROR_INVALID_VALUE);
  const char* name = nullptr;
  ASSERT_EQ(cuFuncGetName(&name, function), CUDA_SUCCESS);
  EXPECT_STREQ(name, "_Z5storePjcd6Triple");
}

TEST_F(DriverTest, BothWaysToGiveArgumentsReachTheTwin) {
  CUdeviceptr out = MakeMemory(16);
  struct {
    CUdeviceptr out;
    char small = 7;
    double factor = 12;
    Triple triple{1, 2, 3};
  } packed;
  packed.out = out;
  std::size_t bytes = 36;
  std::vector<void*> parameters{&packed.out, &packed.small, &packed.factor, &packed.triple};
  std::vector<void*> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                           &bytes, CU_LAUNCH_PARAM_END};
  CUfunction function = Find("_Z5storePjcd6Triple");
  for (bool by_extra : {false, true}) {
    std::array<std::uint32_t, 4> result{};
    ASSERT_EQ(
        cuLaunchKernel(function, 2, 3, 1, 32, 1, 1, 0, nullptr,
                       by_extra ? nullptr : parameters.data(), by_extra ? extra.data() : nullptr),
        CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyDtoH(result.data(), out, sizeof(result)), CUDA_SUCCESS);
    EXPECT_THAT(result, testing::ElementsAre(192, 7, 12, 6));
    ASSERT_EQ(cuMemsetD8(out, 0, 16), CUDA_SUCCESS);
  }
  bytes = 35;
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra.data()),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverTest, KernelOfALibraryLaunchesByEitherHandle) {
  CUlibrary library = nullptr;
  ASSERT_EQ(cuLibraryLoadData(&library, "// _Z3addPii", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_SUCCESS);
  CUkernel kernel = nullptr;
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "_Z7unknownv"), CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "_Z3addPii"), CUDA_SUCCESS);
  CUfunction function = nullptr;
  ASSERT_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
  CUdeviceptr value = MakeMemory(4);
  int increment = 5;
  std::array<void*, 2> parameters{&value, &increment};
  ASSERT_EQ(cuMemsetD32(value, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(Launch(function, nullptr, parameters.data()), CUDA_SUCCESS);
  EXPECT_EQ(Launch(reinterpret_cast<CUfunction>(kernel), nullptr, parameters.data()), CUDA_SUCCESS);
  int result = 0;
  ASSERT_EQ(cuMemcpyDtoH(&result, value, sizeof(result)), CUDA_SUCCESS);
  EXPECT_EQ(result, 11);
  ASSERT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(Launch(function, nullptr, parameters.data()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuKernelGetFunction(&function, kernel), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverTest, KernelWithoutTwinDoesNothingAndIsCounted) {
  unsigned long long before = hostcuda_launches_without_twin();
  EXPECT_EQ(Launch(Find("_Z9has_no_twv"), nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(hostcuda_launches_without_twin(), before + 1);
}

TEST_F(DriverTest, LaunchOfAnImpossibleShapeIsRefused) {
  CUfunction function = Find("_Z5faultv");
  EXPECT_EQ(cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1025, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(DriverTest, IllegalAccessKillsTheContextUntilItEnds) {
  CUdeviceptr memory = MakeMemory(4);
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(Launch(Find("_Z5faultv"), nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUcontext current = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace hostcuda
