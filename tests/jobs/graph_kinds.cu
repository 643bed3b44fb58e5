// One kind of node or graph per sub-command, each checked by the values it leaves.
//   graph_kinds <kind>, or `all`: those that need one GPU; without an argument the kinds are
//   listed.
// Prints "<kind> ok". Exit 1 if a call or a value is wrong, 2 for an unknown kind.
#include <cuda.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/jobs/integers.h"
#include "tests/jobs/kinds.h"

__global__ void add_number(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

namespace {

using jobs::Buffer;
using jobs::kCount;
using jobs::LaunchAndWait;
using jobs::RunOnce;
using jobs::Stream;

constexpr std::size_t kBytes = kCount * sizeof(int);

// Of a kernel node that adds; the parameters point into the object.
class Adding {
 public:
  Adding(const Buffer& buffer, int value) : data_(buffer.get()), value_(value) {
    parameters_.func = reinterpret_cast<void*>(&add_number);
    parameters_.gridDim = dim3(2);
    parameters_.blockDim = dim3(kCount / 2);
    parameters_.kernelParams = arguments_;
  }
  Adding(const Adding&) = delete;
  Adding& operator=(const Adding&) = delete;
  const cudaKernelNodeParams* get() const { return &parameters_; }

 private:
  int* data_;
  int count_ = kCount;
  int value_;
  void* arguments_[3] = {&data_, &count_, &value_};
  cudaKernelNodeParams parameters_{};
};

using Nodes = std::vector<cudaGraphNode_t>;

cudaGraphNode_t AddKernel(cudaGraph_t graph, const Nodes& after, const Buffer& buffer, int value) {
  cudaGraphNode_t node = nullptr;
  const Adding adding(buffer, value);
  CHECK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), adding.get()));
  return node;
}

cudaGraph_t MakeGraph() {
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  return graph;
}

// Each level adds, then has the next inside.
cudaGraph_t Nested(const Buffer& buffer, int levels) {
  cudaGraph_t graph = MakeGraph();
  const cudaGraphNode_t first = AddKernel(graph, {}, buffer, levels);
  if (levels == 1) return graph;
  cudaGraph_t inner = Nested(buffer, levels - 1);
  cudaGraphNode_t child = nullptr;
  CHECK(cudaGraphAddChildGraphNode(&child, graph, &first, 1, inner));
  CHECK(cudaGraphDestroy(inner));
  AddKernel(graph, {child}, buffer, 10 * levels);
  return graph;
}

void NestedChildren() {
  const Buffer buffer;
  const Stream stream;
  RunOnce(Nested(buffer, 4), stream);
  buffer.ExpectAll(1 + 2 + 3 + 4 + 20 + 30 + 40);
}

// A graph that its job changes after it was instantiated; the executables stay what they are.
void ChangedGraph() {
  const Buffer a, b;
  const Stream stream;
  cudaGraph_t graph = MakeGraph();
  const cudaGraphNode_t first = AddKernel(graph, {}, a, 1);
  const cudaGraphNode_t middle = AddKernel(graph, {first}, a, 10);
  AddKernel(graph, {middle}, b, 100);
  cudaGraphExec_t before = nullptr, after = nullptr;
  CHECK(cudaGraphInstantiate(&before, graph, 0));
  LaunchAndWait(before, stream);
  CHECK(cudaGraphDestroyNode(middle));
  const cudaGraphNode_t added = AddKernel(graph, {first}, b, 1000);
  AddKernel(graph, {added}, a, 10'000);
  const Adding two(a, 2);
  CHECK(cudaGraphKernelNodeSetParams(first, two.get()));
  CHECK(cudaGraphInstantiate(&after, graph, 0));
  LaunchAndWait(after, stream);
  a.ExpectAll(11 + 10'002);
  b.ExpectAll(100 + 1100);
  LaunchAndWait(before, stream);
  a.ExpectAll(2 * 11 + 10'002);
  CHECK(cudaGraphExecDestroy(before));
  CHECK(cudaGraphExecDestroy(after));
  CHECK(cudaGraphDestroy(graph));
}

// Adds to `from`, copies what `copy` says, adds to `to`.
void RunCopy(const Buffer& from, const cudaMemcpy3DParms& copy, const Buffer& to) {
  const Stream stream;
  cudaGraph_t graph = MakeGraph();
  const cudaGraphNode_t front = AddKernel(graph, {}, from, 7);
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddMemcpyNode(&node, graph, &front, 1, &copy));
  AddKernel(graph, {node}, to, 100);
  RunOnce(graph, stream);
}

std::vector<int> Read(const Buffer& buffer) {
  std::vector<int> host(kCount);
  CHECK(cudaMemcpy(host.data(), buffer.get(), kBytes, cudaMemcpyDeviceToHost));
  return host;
}

// A box of the source, which lies `pitch` apart, becomes dense.
void CopyBox(unsigned height, unsigned depth) {
  const Buffer from, to;
  constexpr unsigned kWidth = 5, kPitch = 8;
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(from.get(), kPitch * sizeof(int), kPitch, height);
  copy.dstPtr = make_cudaPitchedPtr(to.get(), kWidth * sizeof(int), kWidth, height);
  copy.extent = make_cudaExtent(kWidth * sizeof(int), height, depth);
  copy.kind = cudaMemcpyDeviceToDevice;
  RunCopy(from, copy, to);
  const auto seen = Read(to);
  for (unsigned i = 0; i < kCount; ++i) {
    const int expected = i < kWidth * height * depth ? 107 : 100;
    jobs::Expect(seen[i] == expected, std::to_string(expected).c_str(), seen[i]);
  }
}

void Copy2D() { CopyBox(6, 1); }
void Copy3D() { CopyBox(4, 3); }

// From pinned host memory, to pageable host memory.
void CopyHost() {
  const Buffer buffer;
  const Stream stream;
  int* source = nullptr;
  CHECK(cudaMallocHost(&source, kBytes));
  std::fill_n(source, kCount, 5);
  std::vector<int> target(kCount);
  cudaGraph_t graph = MakeGraph();
  cudaGraphNode_t in = nullptr, out = nullptr;
  CHECK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, buffer.get(), source, kBytes,
                                 cudaMemcpyHostToDevice));
  const cudaGraphNode_t kernel = AddKernel(graph, {in}, buffer, 4);
  CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &kernel, 1, target.data(), buffer.get(), kBytes,
                                 cudaMemcpyDeviceToHost));
  RunOnce(graph, stream);
  for (const int seen : target) jobs::Expect(seen == 9, "9", seen);
  CHECK(cudaFreeHost(source));
}

// From the memory of one device to that of another.
void CopyPeer() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  jobs::Expect(devices >= 2, "two devices", devices);
  const Buffer from;
  CHECK(cudaSetDevice(1));
  const Buffer to;
  CHECK(cudaSetDevice(0));
  const Stream stream;
  cudaGraph_t graph = MakeGraph();
  const cudaGraphNode_t kernel = AddKernel(graph, {}, from, 6);
  cudaGraphNode_t copy = nullptr;
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, to.get(), from.get(), kBytes,
                                 cudaMemcpyDefault));
  RunOnce(graph, stream);
  to.ExpectAll(6);
}

void Cooperative() {
  const Buffer buffer;
  const Stream stream;
  cudaGraph_t graph = nullptr;
  int* data = buffer.get();
  int count = kCount, value = 3;
  void* arguments[] = {&data, &count, &value};
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&add_number), dim3(2),
                                      dim3(kCount / 2), arguments, 0, stream));
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  RunOnce(graph, stream);
  buffer.ExpectAll(6);
}

// Thread block clusters: GPUs of compute capability 9.0 and higher.
void Cluster() {
  const Buffer buffer;
  const Stream stream;
  cudaGraph_t graph = nullptr;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(kCount / 2);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaLaunchKernelEx(&config, add_number, buffer.get(), int{kCount}, 5));
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  RunOnce(graph, stream);
  buffer.ExpectAll(10);
}

constexpr jobs::Kind kKinds[] = {
    {"nested_children", &NestedChildren},
    {"changed_graph", &ChangedGraph},
    {"copy_2d", &Copy2D},
    {"copy_3d", &Copy3D},
    {"copy_host", &CopyHost},
    {"copy_peer", &CopyPeer, false},
    {"cooperative", &Cooperative},
    {"cluster", &Cluster},
};

}  // namespace

int main(int argc, char** argv) { return jobs::RunKinds(argc, argv, "graph_kinds", kKinds); }
