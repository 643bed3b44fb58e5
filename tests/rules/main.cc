// The rule tests: rules of CUDA that graphtap rests on, the same program on a GPU and on hostcuda.
#include <gtest/gtest.h>

#include "tests/rules/child_process.h"

int main(int argc, char** argv) {
  int code = 0;
  if (rules::RunAsChild(argc, argv, &code)) return code;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
