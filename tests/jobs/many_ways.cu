// One way of making or using a CUDA graph per sub-command, each checked by the values it leaves.
//   many_ways <way>, or `all`; without an argument the ways are listed.
// Prints "<way> ok". Exit 1 if a call or a value is wrong, 2 for an unknown way.
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/jobs/integers.h"

__global__ void add_to(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

// out = a + b: joins two branches.
__global__ void sum_into(const int* a, const int* b, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = a[i] + b[i];
}

namespace {

using jobs::Buffer;
using jobs::kCount;
using jobs::LaunchAndWait;
using jobs::RunOnce;
using jobs::Stream;

void Add(cudaStream_t stream, const Buffer& buffer, int value) {
  add_to<<<1, kCount, 0, stream>>>(buffer.get(), kCount, value);
  CHECK(cudaGetLastError());
}

// A captured chain that adds each of `values`.
cudaGraph_t CaptureAdds(cudaStream_t stream, const Buffer& buffer, const std::vector<int>& values,
                        cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, mode));
  for (const int value : values) Add(stream, buffer, value);
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

cudaKernelNodeParams AddParameters(void** arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(&add_to);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(kCount);
  parameters.kernelParams = arguments;
  return parameters;
}

void ForkJoin() {
  const Buffer a, b, out;
  const Stream main, side;
  cudaEvent_t fork = nullptr, join = nullptr;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  Add(main, a, 1);
  CHECK(cudaEventRecord(fork, main));
  CHECK(cudaStreamWaitEvent(side, fork, 0));
  Add(side, b, 2);
  Add(main, a, 3);
  CHECK(cudaEventRecord(join, side));
  CHECK(cudaStreamWaitEvent(main, join, 0));
  sum_into<<<1, kCount, 0, main>>>(a.get(), b.get(), out.get(), kCount);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  RunOnce(graph, main);
  out.ExpectAll(6);
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
}

void ChildGraph() {
  const Buffer buffer;
  const Stream stream;
  cudaGraph_t child = CaptureAdds(stream, buffer, {5, 7});
  cudaGraph_t parent = nullptr;
  CHECK(cudaGraphCreate(&parent, 0));
  cudaMemsetParams fill{};
  fill.dst = buffer.get();
  fill.value = 1;
  fill.elementSize = sizeof(int);
  fill.width = kCount;
  fill.height = 1;
  cudaGraphNode_t fill_node = nullptr, child_node = nullptr;
  CHECK(cudaGraphAddMemsetNode(&fill_node, parent, nullptr, 0, &fill));
  CHECK(cudaGraphAddChildGraphNode(&child_node, parent, &fill_node, 1, child));
  CHECK(cudaGraphDestroy(child));
  RunOnce(parent, stream);
  buffer.ExpectAll(13);
}

void CountCall(void* data) { ++*static_cast<int*>(data); }

void ByHand() {
  const Buffer source, target;
  const Stream stream;
  int calls = 0;
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  int* data = source.get();
  int count = kCount, value = 9;
  void* arguments[] = {&data, &count, &value};
  const cudaKernelNodeParams kernel = AddParameters(arguments);
  const cudaHostNodeParams host{&CountCall, &calls};
  cudaGraphNode_t kernel_node = nullptr, copy_node = nullptr, host_node = nullptr,
                  empty_node = nullptr;
  CHECK(cudaGraphAddKernelNode(&kernel_node, graph, nullptr, 0, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&copy_node, graph, &kernel_node, 1, target.get(), source.get(),
                                 kCount * sizeof(int), cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphAddHostNode(&host_node, graph, &kernel_node, 1, &host));
  const std::array<cudaGraphNode_t, 2> ends{copy_node, host_node};
  CHECK(cudaGraphAddEmptyNode(&empty_node, graph, ends.data(), ends.size()));
  RunOnce(graph, stream);
  target.ExpectAll(9);
  jobs::Expect(calls == 1, "one host call", calls);
}

// The same executable serves two captures; a third of another shape is refused.
void ExecUpdate() {
  const Buffer buffer;
  const Stream stream;
  cudaGraph_t first = CaptureAdds(stream, buffer, {1, 2});
  cudaGraph_t second = CaptureAdds(stream, buffer, {10, 20});
  cudaGraph_t longer = CaptureAdds(stream, buffer, {1, 2, 3});
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, first, 0));
  LaunchAndWait(exec, stream);
  cudaGraphExecUpdateResultInfo info{};
  CHECK(cudaGraphExecUpdate(exec, second, &info));
  LaunchAndWait(exec, stream);
  buffer.ExpectAll(33);
  const cudaError_t refused = cudaGraphExecUpdate(exec, longer, &info);
  jobs::Expect(refused == cudaErrorGraphExecUpdateFailure, "a refused update", refused);
  jobs::Expect(info.result == cudaGraphExecUpdateErrorTopologyChanged, "topology changed",
               info.result);
  cudaGetLastError();
  for (cudaGraph_t graph : {first, second, longer}) CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphExecDestroy(exec));
}

// What a graph keeps alive goes with the update that replaces it in its executable.
void UserObjects() {
  static std::atomic<int> ended;
  const Buffer buffer;
  const Stream stream;
  cudaGraph_t first = CaptureAdds(stream, buffer, {1, 2});
  cudaGraph_t second = CaptureAdds(stream, buffer, {10, 20});
  cudaUserObject_t object = nullptr;
  CHECK(cudaUserObjectCreate(
      &object, nullptr, [](void*) { ++ended; }, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphRetainUserObject(first, object, 1, cudaGraphUserObjectMove));
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, first, 0));
  CHECK(cudaGraphDestroy(first));
  for (int i = 0; i < 4; ++i) LaunchAndWait(exec, stream);
  jobs::Expect(ended == 0, "the object alive", ended);
  cudaGraphExecUpdateResultInfo info{};
  CHECK(cudaGraphExecUpdate(exec, second, &info));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (ended == 0 && std::chrono::steady_clock::now() < deadline) {
    CHECK(cudaDeviceSynchronize());
  }
  jobs::Expect(ended == 1, "the object ended", ended);
  for (int i = 0; i < 4; ++i) LaunchAndWait(exec, stream);
  buffer.ExpectAll(4 * 3 + 4 * 30);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(second));
}

void TwoExecutables() {
  const Buffer buffer;
  const Stream stream;
  cudaGraph_t graph = CaptureAdds(stream, buffer, {4});
  cudaGraphExec_t first = nullptr, second = nullptr;
  CHECK(cudaGraphInstantiate(&first, graph, 0));
  CHECK(cudaGraphInstantiate(&second, graph, 0));
  for (int i = 0; i < 3; ++i) {
    LaunchAndWait(first, stream);
    LaunchAndWait(second, stream);
  }
  buffer.ExpectAll(24);
  CHECK(cudaGraphExecDestroy(first));
  CHECK(cudaGraphExecDestroy(second));
  CHECK(cudaGraphDestroy(graph));
}

void FailedCapture() {
  const Buffer buffer;
  const Stream stream;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  Add(stream, buffer, 1);
  void* pointer = nullptr;
  const cudaError_t refused = cudaMalloc(&pointer, 1024);
  jobs::Expect(refused == cudaErrorStreamCaptureUnsupported, "a refused allocation", refused);
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  jobs::Expect(ended == cudaErrorStreamCaptureInvalidated, "an invalidated capture", ended);
  jobs::Expect(graph == nullptr, "no graph", 1);
  cudaGetLastError();
  RunOnce(CaptureAdds(stream, buffer, {2}), stream);  // the stream is usable again
  buffer.ExpectAll(2);
}

// Two threads capture at the same time, one thread-local, one relaxed, and may allocate meanwhile.
void CapturesInThreads() {
  std::barrier<> both(2);
  const auto capture = [&both](cudaStreamCaptureMode mode, int value) {
    const Buffer buffer;
    const Stream stream;
    cudaGraph_t graph = nullptr;
    both.arrive_and_wait();  // nothing that captures forbid is left to do
    CHECK(cudaStreamBeginCapture(stream, mode));
    both.arrive_and_wait();  // both captures are open
    if (mode == cudaStreamCaptureModeRelaxed) {
      void* scratch = nullptr;
      CHECK(cudaMalloc(&scratch, 1024));
      CHECK(cudaFree(scratch));
    }
    Add(stream, buffer, value);
    both.arrive_and_wait();
    CHECK(cudaStreamEndCapture(stream, &graph));
    both.arrive_and_wait();
    RunOnce(graph, stream);
    buffer.ExpectAll(value);
  };
  std::thread local(capture, cudaStreamCaptureModeThreadLocal, 3);
  std::thread relaxed(capture, cudaStreamCaptureModeRelaxed, 4);
  local.join();
  relaxed.join();
}

// Into a graph of the job's own, which it replays before it goes on with it: its nodes are those of
// both captures.
void CaptureToGraph() {
  const Buffer buffer;
  const Stream stream;
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  const auto capture = [&](const cudaGraphNode_t* behind, int value) {
    CHECK(cudaStreamBeginCaptureToGraph(stream, graph, behind, nullptr, behind == nullptr ? 0 : 1,
                                        cudaStreamCaptureModeGlobal));
    Add(stream, buffer, value);
    CHECK(cudaStreamEndCapture(stream, nullptr));
  };
  capture(nullptr, 5);
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  LaunchAndWait(exec, stream);
  buffer.ExpectAll(5);
  CHECK(cudaGraphExecDestroy(exec));
  cudaGraphNode_t first = nullptr;
  std::size_t count = 1;
  CHECK(cudaGraphGetNodes(graph, &first, &count));
  capture(&first, 20);
  RunOnce(graph, stream);
  buffer.ExpectAll(30);
}

// Programmatic dependent launch: the second kernel may start before the first has ended. The
// kernels do not wait for each other, so they work on different buffers.
void ProgrammaticEdges() {
  const Buffer a, b;
  const Stream stream;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  Add(stream, a, 1);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(kCount);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, add_to, b.get(), int{kCount}, 2));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  size_t edges = 1;
  cudaGraphNode_t from = nullptr, to = nullptr;
  cudaGraphEdgeData data{};
  CHECK(cudaGraphGetEdges(graph, &from, &to, &data, &edges));
  jobs::Expect(data.type == cudaGraphDependencyTypeProgrammatic, "a programmatic edge", data.type);
  RunOnce(graph, stream);
  a.ExpectAll(1);
  b.ExpectAll(2);
}

struct Way {
  const char* name;
  void (*run)();
};

constexpr Way kWays[] = {
    {"fork_join", &ForkJoin},
    {"child_graph", &ChildGraph},
    {"by_hand", &ByHand},
    {"exec_update", &ExecUpdate},
    {"user_objects", &UserObjects},
    {"two_executables", &TwoExecutables},
    {"failed_capture", &FailedCapture},
    {"captures_in_threads", &CapturesInThreads},
    {"capture_to_graph", &CaptureToGraph},
    {"programmatic_edges", &ProgrammaticEdges},
};

}  // namespace

int main(int argc, char** argv) {
  bool found = false;
  for (const Way& way : kWays) {
    if (argc != 2 || (std::strcmp(argv[1], way.name) != 0 && std::strcmp(argv[1], "all") != 0)) {
      continue;
    }
    found = true;
    way.run();
    std::printf("%s ok\n", way.name);
  }
  if (found) return 0;
  std::fprintf(stderr, "many_ways: name one of: all");
  for (const Way& way : kWays) std::fprintf(stderr, " %s", way.name);
  std::fprintf(stderr, "\n");
  return 2;
}
