// A graph with an IF node whose body fills memory and holds another IF node, and one body that is
// captured. Prints what the memory holds. Conditional nodes exist on a GPU only.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "conditional: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check((call), #call)

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }

// Adds an IF node that is always taken, and returns its body.
static cudaGraph_t add_if(cudaGraph_t graph, cudaGraph_t owner) {
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphConditionalHandleCreate(&handle, owner, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeIf;
  parameters.conditional.size = 1;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
  return parameters.conditional.phGraph_out[0];
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 32 * sizeof(int)));
  CHECK(cudaMemset(data, 0, 32 * sizeof(int)));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraph_t body = add_if(graph, graph);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeThreadLocal));
  add<<<1, 32, 0, stream>>>(data, 3);
  CHECK(cudaStreamEndCapture(stream, nullptr));
  cudaGraph_t inner = add_if(body, graph);
  cudaKernelNodeParams kernel = {};
  int value = 4;
  void* arguments[] = {&data, &value};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, inner, nullptr, 0, &kernel));
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  int host[32];
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("conditional %d %d\n", host[0], host[31]);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
}
