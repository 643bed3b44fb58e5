// GraphTest: a context, two non-blocking streams, a zeroed buffer of floats and kernels to build
// graphs from. Owner: the test. Threads: the test's own. Failure: a failed expectation. Units:
// elements.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/hostcuda/twin.h"

namespace hostcuda::test {

class GraphTest : public testing::Test {
 protected:
  static constexpr unsigned kFloats = 8;

  void SetUp() override;
  void TearDown() override;

  // Kernels: Add(p, v) adds v to all of the buffer; Hold() runs until released; Fault() is an
  // illegal access. Parameters live as long as the object.
  struct Kernel {
    CUDA_KERNEL_NODE_PARAMS params;
    CUdeviceptr pointer;
    float value;
    void* arguments[2];
  };
  std::unique_ptr<Kernel> Add(float value) const;
  CUDA_KERNEL_NODE_PARAMS Hold() const;
  CUDA_KERNEL_NODE_PARAMS Fault() const;

  static CUgraph NewGraph();
  CUgraphNode AddKernel(CUgraph graph, const std::vector<CUgraphNode>& dependencies,
                        float value) const;
  CUgraphNode AddFill(CUgraph graph, const std::vector<CUgraphNode>& dependencies,
                      unsigned bits) const;
  static CUgraphExec Instantiate(CUgraph graph);
  static CUgraph Clone(CUgraph graph);
  static CUgraphNode FindInClone(CUgraphNode original, CUgraph clone);
  static std::vector<CUgraphNode> NodesOf(CUgraph graph);

  CUresult LaunchAdd(CUstream stream, float value) const;
  // Zeroes the buffer, launches, waits; the first float.
  float Run(CUgraphExec executable) const;
  float First() const;
  void Zero() const;

  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUstream other_ = nullptr;
  CUdeviceptr buffer_ = 0;

 private:
  CUfunction Function(const char* name) const;
  CUmodule module_ = nullptr;
};

}  // namespace hostcuda::test
