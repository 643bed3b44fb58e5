#include "tests/rules/rules.h"

#include "tests/rules/kernels.h"

namespace rules {

AddParameters::AddParameters(const Buffer& buffer, int value)
    : data_(buffer.address()), value_(value) {
  parameters_.func = AddTo();
  parameters_.gridDimX = parameters_.gridDimY = parameters_.gridDimZ = 1;
  parameters_.blockDimX = Buffer::kCount;
  parameters_.blockDimY = parameters_.blockDimZ = 1;
  parameters_.kernelParams = arguments_;
}

void LaunchAdd(CUstream stream, const Buffer& buffer, int value) {
  const AddParameters add(buffer, value);
  Must(cuLaunchKernel(add.get()->func, 1, 1, 1, Buffer::kCount, 1, 1, 0, stream,
                      add.get()->kernelParams, nullptr));
}

void LaunchAddEarly(CUstream stream, const Buffer& buffer, int value) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  LaunchAddWith(stream, buffer, value, attribute);
}

void LaunchAddWith(CUstream stream, const Buffer& buffer, int value, CUlaunchAttribute attribute) {
  const AddParameters add(buffer, value);
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = Buffer::kCount;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  Must(cuLaunchKernelEx(&config, add.get()->func, add.get()->kernelParams, nullptr));
}

CUgraphNode AddKernel(CUgraph graph, std::initializer_list<CUgraphNode> after, const Buffer& buffer,
                      int value) {
  CUgraphNode node = nullptr;
  const AddParameters add(buffer, value);
  Must(cuGraphAddKernelNode(&node, graph, data(after), after.size(), add.get()));
  return node;
}

CUDA_MEMSET_NODE_PARAMS FillParameters(const Buffer& buffer, unsigned value) {
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = buffer.address();
  fill.value = value;
  fill.elementSize = sizeof(int);
  fill.width = Buffer::kCount;
  fill.height = 1;
  return fill;
}

CUDA_MEMCPY3D CopyParameters(const Buffer& to, const Buffer& from) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from.address();
  copy.dstDevice = to.address();
  copy.WidthInBytes = Buffer::kCount * sizeof(int);
  copy.Height = copy.Depth = 1;
  return copy;
}

CUcontext CurrentContext() {
  CUcontext context = nullptr;
  Must(cuCtxGetCurrent(&context));
  return context;
}

CUgraphNode AddFill(CUgraph graph, std::initializer_list<CUgraphNode> after, const Buffer& buffer,
                    unsigned value) {
  CUgraphNode node = nullptr;
  const CUDA_MEMSET_NODE_PARAMS fill = FillParameters(buffer, value);
  Must(cuGraphAddMemsetNode(&node, graph, data(after), after.size(), &fill, CurrentContext()));
  return node;
}

CUgraphNode AddCopy(CUgraph graph, std::initializer_list<CUgraphNode> after, const Buffer& to,
                    const Buffer& from) {
  CUgraphNode node = nullptr;
  const CUDA_MEMCPY3D copy = CopyParameters(to, from);
  Must(cuGraphAddMemcpyNode(&node, graph, data(after), after.size(), &copy, CurrentContext()));
  return node;
}

Graph MakeGraph() {
  Graph graph;
  Must(cuGraphCreate(graph.Out(), 0));
  return graph;
}

Graph Clone(CUgraph graph) {
  Graph clone;
  Must(cuGraphClone(clone.Out(), graph));
  return clone;
}

Exec Instantiate(CUgraph graph) {
  Exec exec;
  Must(cuGraphInstantiate(exec.Out(), graph, 0));
  return exec;
}

CUgraphNode InClone(CUgraphNode node, CUgraph clone) {
  CUgraphNode found = nullptr;
  Must(cuGraphNodeFindInClone(&found, node, clone));
  return found;
}

void Replay(CUgraphExec exec, CUstream stream) {
  Must(cuGraphLaunch(exec, stream));
  Must(cuStreamSynchronize(stream));
}

CUresult Update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  CUgraphExecUpdateResultInfo ignored{};
  return cuGraphExecUpdate(exec, graph, info != nullptr ? info : &ignored);
}

Graph CaptureAdds(CUstream stream, CUstreamCaptureMode mode, const Buffer& buffer,
                  std::initializer_list<int> values) {
  Graph graph;
  Must(cuStreamBeginCapture(stream, mode));
  for (const int value : values) LaunchAdd(stream, buffer, value);
  Must(cuStreamEndCapture(stream, graph.Out()));
  return graph;
}

std::vector<CUgraphNode> Nodes(CUgraph graph) {
  size_t count = 0;
  Must(cuGraphGetNodes(graph, nullptr, &count));
  std::vector<CUgraphNode> nodes(count);
  Must(cuGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

std::vector<Edge> Edges(CUgraph graph) {
  size_t count = 0;
  Must(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  std::vector<CUgraphNode> from(count), to(count);
  std::vector<CUgraphEdgeData> data(count);
  Must(cuGraphGetEdges(graph, from.data(), to.data(), data.data(), &count));
  std::vector<Edge> edges;
  for (size_t i = 0; i < count; ++i) edges.push_back({from[i], to[i], data[i]});
  return edges;
}

std::vector<CUgraphNode> DependenciesOf(CUgraphNode node) {
  size_t count = 0;
  Must(cuGraphNodeGetDependencies(node, nullptr, nullptr, &count));
  std::vector<CUgraphNode> nodes(count);
  std::vector<CUgraphEdgeData> data(count);
  Must(cuGraphNodeGetDependencies(node, nodes.data(), data.data(), &count));
  return nodes;
}

std::vector<CUgraphNode> DependentsOf(CUgraphNode node) {
  size_t count = 0;
  Must(cuGraphNodeGetDependentNodes(node, nullptr, nullptr, &count));
  std::vector<CUgraphNode> nodes(count);
  std::vector<CUgraphEdgeData> data(count);
  Must(cuGraphNodeGetDependentNodes(node, nodes.data(), data.data(), &count));
  return nodes;
}

void Connect(CUgraph graph, CUgraphNode from, CUgraphNode to, CUgraphEdgeData data) {
  Must(cuGraphAddDependencies(graph, &from, &to, &data, 1));
}

void Disconnect(CUgraph graph, CUgraphNode from, CUgraphNode to, CUgraphEdgeData data) {
  Must(cuGraphRemoveDependencies(graph, &from, &to, &data, 1));
}

void UsePrimaryContext() {
  static const CUcontext kContext = [] {
    CUdevice device = 0;
    CUcontext context = nullptr;
    Must(cuInit(0));
    Must(cuDeviceGet(&device, 0));
    Must(cuDevicePrimaryCtxRetain(&context, device));
    return context;
  }();
  Must(cuCtxSetCurrent(kContext));
}

RuleTest::RuleTest() {
  UsePrimaryContext();
  stream_ = MakeStream();
  AddTo();  // loaded before any capture begins
}

std::string ModeName(CUstreamCaptureMode mode) {
  switch (mode) {
    case CU_STREAM_CAPTURE_MODE_GLOBAL:
      return "Global";
    case CU_STREAM_CAPTURE_MODE_THREAD_LOCAL:
      return "ThreadLocal";
    case CU_STREAM_CAPTURE_MODE_RELAXED:
      return "Relaxed";
  }
  return "Unknown";
}

}  // namespace rules
