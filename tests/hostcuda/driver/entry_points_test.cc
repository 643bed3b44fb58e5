// The resolver, injected failures, initialisation, contexts.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "tests/hostcuda/driver/driver_fixture.h"

namespace hostcuda {
namespace {

struct Answer {
  CUresult result = CUDA_SUCCESS;
  void* address = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
};

Answer Ask(const char* base, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  Answer answer;
  answer.result = cuGetProcAddress(base, &answer.address, version, flags, &answer.status);
  return answer;
}

void* Exported(const char* symbol) {
  void* address = dlsym(RTLD_DEFAULT, symbol);
  EXPECT_NE(address, nullptr) << symbol;
  return address;
}

TEST(Resolver, GivesTheFormOfTheVersion) {
  EXPECT_EQ(Ask("cuGetProcAddress", 11030).address, Exported("cuGetProcAddress"));
  EXPECT_EQ(Ask("cuGetProcAddress", 12000).address, Exported("cuGetProcAddress_v2"));
  EXPECT_EQ(Ask("cuMemAlloc", 13000).address, Exported("cuMemAlloc_v2"));
  EXPECT_EQ(Ask("cuCtxCreate", 12040).address, Exported("cuCtxCreate_v3"));
  EXPECT_EQ(Ask("cuGraphInstantiate", 10000).address, Exported("cuGraphInstantiate"));
  EXPECT_EQ(Ask("cuGraphInstantiate", 13000).address, Exported("cuGraphInstantiate_v2"));
}

TEST(Resolver, GivesTheThreadFormWhereThereIsOne) {
  cuuint64_t thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  cuuint64_t legacy = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  EXPECT_EQ(Ask("cuLaunchKernel", 7000, thread).address, Exported("cuLaunchKernel_ptsz"));
  EXPECT_EQ(Ask("cuLaunchKernel", 7000, legacy).address, Exported("cuLaunchKernel"));
  EXPECT_EQ(Ask("cuLaunchKernel", 7000).address, Exported("cuLaunchKernel"));
  EXPECT_EQ(Ask("cuMemcpyHtoD", 7000, thread).address, Exported("cuMemcpyHtoD_v2_ptds"));
  EXPECT_EQ(Ask("cuInit", 7000, thread).address, Exported("cuInit"));
  EXPECT_EQ(Ask("cuGraphLaunch", 12000, thread).address, Exported("cuGraphLaunch_ptsz"));
}

TEST(Resolver, SaysWhyThereIsNothing) {
  EXPECT_EQ(Ask("cuNoSuchCall", 13000).status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(Ask("cuMemAlloc_v2", 13000).status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  Answer early = Ask("cuGraphAddKernelNode", 9000);
  EXPECT_EQ(early.status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(early.address, nullptr);
  EXPECT_EQ(early.result, CUDA_SUCCESS);
  EXPECT_EQ(Ask("cuInit", 13010).result, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Ask("cuInit", 13000, 4).result, CUDA_ERROR_INVALID_VALUE);
}

TEST(Resolver, FirstFormRefusesWhatItCannotFind) {
  auto* first = reinterpret_cast<CUresult (*)(const char*, void**, int, cuuint64_t)>(
      Exported("cuGetProcAddress"));
  int marker = 0;
  void* address = &marker;
  EXPECT_EQ(first("cuNoSuchCall", &address, 13000, 0), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(address, &marker);
  EXPECT_EQ(first("cuGetProcAddress", &address, 12000, 0), CUDA_SUCCESS);
  EXPECT_EQ(address, Exported("cuGetProcAddress_v2"));
}

TEST_F(DriverTest, InjectedFailureHitsTheNthCallOnly) {
  CUdeviceptr memory = MakeMemory(8);
  hostcuda_fail("cuMemcpyDtoD", 2, CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_EQ(cuMemsetD8(memory, 1, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoD(memory, memory + 4, 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD8(memory + 4, 2, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoD(memory, memory + 4, 4), CUDA_ERROR_OUT_OF_MEMORY);
  unsigned char first = 0;
  ASSERT_EQ(cuMemcpyDtoH(&first, memory, 1), CUDA_SUCCESS);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(cuMemcpyDtoD(memory, memory + 4, 4), CUDA_SUCCESS);
}

// Runs `body` in a fresh process (this program again) with the variable set.
class EnvironmentDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(EnvironmentDeathTest, FailuresOfTheEnvironmentAreInjected) {
  auto body = [] {
    setenv("HOSTCUDA_FAIL", "cuDeviceGetCount:2:999,cuDeviceGet:*:101", 1);
    CUdevice device = 0;
    int count = 0;
    bool as_told = cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS &&
                   cuDeviceGetCount(&count) == CUDA_ERROR_UNKNOWN &&
                   cuDeviceGetCount(&count) == CUDA_SUCCESS &&
                   cuDeviceGet(&device, 0) == CUDA_ERROR_INVALID_DEVICE &&
                   cuDeviceGet(&device, 0) == CUDA_ERROR_INVALID_DEVICE;
    _exit(as_told ? 0 : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, MalformedSettingsAreRefused) {
  for (const char* text : {"cuInit", "cuInit:0:2", "cuInit:1:0", "cuNone:1:2", "cuInit:1:2x"}) {
    auto body = [text] {
      setenv("HOSTCUDA_FAIL", text, 1);
      cuInit(0);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(2), "HOSTCUDA_FAIL: \"cu") << text;
  }
  EXPECT_EXIT(hostcuda_fail("cuMemAlloc_v2", 1, 2), testing::ExitedWithCode(2), "cuMemAlloc_v2");
  auto devices = [] {
    setenv("HOSTCUDA_DEVICES", "many", 1);
    int count = 0;
    cuInit(0);
    cuDeviceGetCount(&count);
  };
  EXPECT_EXIT(devices(), testing::ExitedWithCode(2), "HOSTCUDA_DEVICES=many");
}

TEST_F(EnvironmentDeathTest, ThereAreAsManyDevicesAsAskedFor) {
  auto body = [] {
    setenv("HOSTCUDA_DEVICES", "3", 1);
    int count = 0;
    CUdevice device = -1;
    bool early = cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED;
    bool three =
        cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 3;
    bool ends = cuDeviceGet(&device, 2) == CUDA_SUCCESS && device == 2 &&
                cuDeviceGet(&device, 3) == CUDA_ERROR_INVALID_DEVICE;
    _exit(early && three && ends ? 0 : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, MissingPluginFailsInitialisation) {
  auto body = [] {
    setenv("HOSTCUDA_TWINS", "/nowhere/twins.so", 1);
    std::exit(cuInit(0) == CUDA_ERROR_SHARED_OBJECT_INIT_FAILED ? 0 : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "HOSTCUDA_TWINS: /nowhere/twins.so");
}

TEST_F(EnvironmentDeathTest, TwinsOfAPluginRunAndOthersAreCountedAtExit) {
  auto body = [] {
    setenv("HOSTCUDA_TWINS", HOSTCUDA_TEST_TWINS, 1);
    setenv("HOSTCUDA_VERBOSE", "1", 1);
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction twin = nullptr, other = nullptr;
    CUdeviceptr out = 0;
    std::array<void*, 1> parameters{&out};
    int result = 0;
    bool right =
        cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
        cuCtxSetCurrent(context) == CUDA_SUCCESS && cuMemAlloc(&out, 4) == CUDA_SUCCESS &&
        cuModuleLoadData(&module, "_Z5otherv") == CUDA_SUCCESS &&
        cuModuleGetFunction(&twin, module, "_Z6answerPi") == CUDA_SUCCESS &&
        cuModuleGetFunction(&other, module, "_Z5otherv") == CUDA_SUCCESS &&
        cuModuleGetFunction(&other, module, "_Z4nonev") == CUDA_ERROR_NOT_FOUND &&
        cuLaunchKernel(twin, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters.data(), nullptr) == 0 &&
        cuLaunchKernel(other, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 0 &&
        cuMemcpyDtoH(&result, out, sizeof(result)) == CUDA_SUCCESS && result == 42;
    std::exit(right ? 0 : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "hostcuda: kernels without a twin: 1\n");
}

TEST_F(EnvironmentDeathTest, DriverIsUsableUntilItsExitHandler) {
  static CUresult before = CUDA_ERROR_UNKNOWN;
  auto body = [] {
    static int count = 0;
    std::atexit([] {
      bool right = before == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_ERROR_DEINITIALIZED;
      _exit(right ? 0 : 1);
    });
    cuInit(0);
    std::atexit([] { before = cuDeviceGetCount(&count); });
    std::exit(2);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, ChildOfAForkHasNoDriver) {
  auto body = [] {
    cuInit(0);
    pid_t child = fork();
    int count = 0;
    if (child == 0) _exit(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

TEST_F(DriverTest, CreatedContextIsCurrentUntilDestroyed) {
  CUcontext created = nullptr;
  CUcontext current = nullptr;
  ASSERT_EQ(cuCtxCreate(&created, nullptr, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, created);
  CUdeviceptr memory = MakeMemory(8);
  ASSERT_EQ(cuCtxDestroy(created), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context_);
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetCurrent(created), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(&memory, 8), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(DriverTest, ResetPrimaryContextIsDeadUntilRetainedAgain) {
  CUdeviceptr memory = 0;
  CUcontext again = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(&memory, 8), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&again, 0), CUDA_SUCCESS);
  EXPECT_EQ(again, context_);
  EXPECT_EQ(cuMemAlloc(&memory, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}

TEST(ErrorNames, AreThoseOfTheHeader) {
  const char* text = nullptr;
  ASSERT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  ASSERT_EQ(cuGetErrorString(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "stream capture unsupported");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

}  // namespace
}  // namespace hostcuda
