// The rule tests: rules of CUDA that graphtap rests on, the same program on a GPU and on hostcuda.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/rules/child_process.h"

namespace {

int DeviceCount() {
  int count = 0;
  const bool known = cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS;
  return known ? count : 0;
}

}  // namespace

int main(int argc, char** argv) {
  int code = 0;
  if (rules::RunAsChild(argc, argv, &code)) return code;
  testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(filter) == "*" && DeviceCount() < 2) {
    std::puts("rules: those of two devices (DeviceRules) are left out, there are fewer");
    GTEST_FLAG_SET(filter, "-DeviceRules.*");
  }
  return RUN_ALL_TESTS();
}
