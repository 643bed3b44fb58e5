// A graph with an IF node, whose body is captured and holds another IF node, and a WHILE node that
// a kernel ends. Prints what the memory holds. Exit 1 if that is wrong.
#include <cstdio>

#include "tests/jobs/cuda_check.h"

constexpr int kRounds = 4;

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }

// One more round of a loop that has kRounds of them.
__global__ void next_round(int* round, cudaGraphConditionalHandle handle) {
  *round = (*round + 1) % kRounds;
  cudaGraphSetConditional(handle, *round != 0);
}

namespace {

constexpr int kCount = 32;
constexpr int kLaunches = 3;

// Adds a conditional node to `graph`, whose variable is 1 at each launch of `owner`.
cudaGraph_t AddConditional(cudaGraph_t graph, cudaGraph_t owner, const cudaGraphNode_t* after,
                           cudaGraphConditionalNodeType type, cudaGraphConditionalHandle* handle,
                           cudaGraphNode_t* node) {
  CHECK(cudaGraphConditionalHandleCreate(handle, owner, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = *handle;
  parameters.conditional.type = type;
  parameters.conditional.size = 1;
  CHECK(cudaGraphAddNode(node, graph, after, nullptr, after != nullptr ? 1 : 0, &parameters));
  return parameters.conditional.phGraph_out[0];
}

void AddKernel(cudaGraph_t graph, void* function, int threads, void** arguments) {
  cudaKernelNodeParams kernel = {};
  kernel.func = function;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(threads);
  kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
}

void AddWhile(cudaGraph_t graph, cudaGraphNode_t after, int* round, int* data,
              cudaStream_t stream) {
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  const cudaGraph_t body =
      AddConditional(graph, graph, &after, cudaGraphCondTypeWhile, &handle, &node);
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeThreadLocal));
  add<<<1, kCount, 0, stream>>>(data, 10);
  next_round<<<1, 1, 0, stream>>>(round, handle);
  CHECK(cudaStreamEndCapture(stream, nullptr));
}

void Build(cudaGraph_t graph, int* data, int* round, cudaStream_t stream) {
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t first, nested;
  const cudaGraph_t body =
      AddConditional(graph, graph, nullptr, cudaGraphCondTypeIf, &handle, &first);
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeThreadLocal));
  add<<<1, kCount, 0, stream>>>(data, 3);
  CHECK(cudaStreamEndCapture(stream, nullptr));
  const cudaGraph_t inner =
      AddConditional(body, graph, nullptr, cudaGraphCondTypeIf, &handle, &nested);
  int* other = data + kCount;
  int value = 4;
  void* arguments[] = {&other, &value};
  AddKernel(inner, reinterpret_cast<void*>(add), kCount, arguments);
  AddWhile(graph, first, round, data, stream);
}

}  // namespace

int main() {
  int* data;
  int* round;
  CHECK(cudaMalloc(&data, 2 * kCount * sizeof(int)));
  CHECK(cudaMalloc(&round, sizeof(int)));
  CHECK(cudaMemset(data, 0, 2 * kCount * sizeof(int)));
  CHECK(cudaMemset(round, 0, sizeof(int)));
  cudaGraph_t graph;
  cudaStream_t stream;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaStreamCreate(&stream));
  Build(graph, data, round, stream);
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < kLaunches; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  int host[2 * kCount];
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("conditional %d %d\n", host[0], host[kCount]);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  jobs::Expect(host[0] == kLaunches * (3 + 10 * kRounds), "129", host[0]);
  jobs::Expect(host[kCount] == kLaunches * 4, "12", host[kCount]);
}
