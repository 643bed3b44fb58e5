// DriverTest: a current primary context and one module that holds any kernel. Owner: each test.
// Threads: one. Failure: a failed set-up fails the test. Units: bytes.
#pragma once

#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hostcuda/twin.h"

namespace hostcuda {

class DriverTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context_), CUDA_SUCCESS);
    static constexpr unsigned kFatBinary[4] = {0xBA55ED50, 0x00100001, 0, 0};
    ASSERT_EQ(cuModuleLoadData(&module_, kFatBinary), CUDA_SUCCESS);
  }

  void TearDown() override {
    hostcuda_release_endless_kernels();
    EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  }

  CUfunction Find(const char* name) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module_, name), CUDA_SUCCESS);
    return function;
  }

  CUstream MakeStream(unsigned flags) {
    CUstream stream = nullptr;
    EXPECT_EQ(cuStreamCreate(&stream, flags), CUDA_SUCCESS);
    return stream;
  }

  CUdeviceptr MakeMemory(std::size_t bytes) {
    CUdeviceptr memory = 0;
    EXPECT_EQ(cuMemAlloc(&memory, bytes), CUDA_SUCCESS);
    return memory;
  }

  CUresult Launch(CUfunction function, CUstream stream, void** parameters) {
    return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr);
  }

  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

}  // namespace hostcuda
