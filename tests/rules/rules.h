// What the rule tests share: graphs in the shapes that the rules are about, and the fixtures. All
// through the driver API. Owner: each test its own objects. Threads: a test's own. Failure: throws,
// which GoogleTest reports; what a rule is about is compared with EXPECT.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/rules/driver_objects.h"

namespace rules {

// The arguments of one rule_add_to kernel and the node parameters that point to them.
class AddParameters {
 public:
  AddParameters(const Buffer& buffer, int value);
  AddParameters(const AddParameters&) = delete;
  AddParameters& operator=(const AddParameters&) = delete;
  const CUDA_KERNEL_NODE_PARAMS* get() const { return &parameters_; }

 private:
  CUdeviceptr data_;
  int count_ = Buffer::kCount;
  int value_;
  void* arguments_[3] = {&data_, &count_, &value_};
  CUDA_KERNEL_NODE_PARAMS parameters_{};
};

void LaunchAdd(CUstream stream, const Buffer& buffer, int value);
// The same, allowed to start before its predecessor ended (programmatic edge in a capture).
void LaunchAddEarly(CUstream stream, const Buffer& buffer, int value);
void LaunchAddWith(CUstream stream, const Buffer& buffer, int value, CUlaunchAttribute attribute);

CUgraphNode AddKernel(CUgraph graph, std::initializer_list<CUgraphNode> after, const Buffer& buffer,
                      int value);
CUgraphNode AddFill(CUgraph graph, std::initializer_list<CUgraphNode> after, const Buffer& buffer,
                    unsigned value);
CUgraphNode AddCopy(CUgraph graph, std::initializer_list<CUgraphNode> after, const Buffer& to,
                    const Buffer& from);
CUDA_MEMSET_NODE_PARAMS FillParameters(const Buffer& buffer, unsigned value);
CUDA_MEMCPY3D CopyParameters(const Buffer& to, const Buffer& from);
CUcontext CurrentContext();

Graph MakeGraph();
Graph Clone(CUgraph graph);
Exec Instantiate(CUgraph graph);
CUgraphNode InClone(CUgraphNode node, CUgraph clone);
// Launches and waits for the stream.
void Replay(CUgraphExec exec, CUstream stream);
// cuGraphExecUpdate; what it found out is written to *info where that is given.
CUresult Update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info = nullptr);

// A captured chain that adds each of `values` to the buffer.
Graph CaptureAdds(CUstream stream, CUstreamCaptureMode mode, const Buffer& buffer,
                  std::initializer_list<int> values);

struct Edge {
  CUgraphNode from;
  CUgraphNode to;
  CUgraphEdgeData data;
};

std::vector<CUgraphNode> Nodes(CUgraph graph);
std::vector<Edge> Edges(CUgraph graph);
std::vector<CUgraphNode> DependenciesOf(CUgraphNode node);
std::vector<CUgraphNode> DependentsOf(CUgraphNode node);
void Connect(CUgraph graph, CUgraphNode from, CUgraphNode to, CUgraphEdgeData data = {});
void Disconnect(CUgraph graph, CUgraphNode from, CUgraphNode to, CUgraphEdgeData data = {});

// Makes the primary context of device 0 current on the calling thread.
void UsePrimaryContext();

class RuleTest : public testing::Test {
 protected:
  RuleTest();
  OwnedStream stream_;
};

// A rule that must hold in each capture mode.
class EachMode : public RuleTest, public testing::WithParamInterface<CUstreamCaptureMode> {};

std::string ModeName(CUstreamCaptureMode mode);

}  // namespace rules

#define RULES_FOR_EACH_MODE(suite)                                                        \
  INSTANTIATE_TEST_SUITE_P(                                                               \
      Modes, suite,                                                                       \
      testing::Values(CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, \
                      CU_STREAM_CAPTURE_MODE_RELAXED),                                    \
      [](const auto& mode) { return rules::ModeName(mode.param); })
