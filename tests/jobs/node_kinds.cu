// One kind of node or of executable per sub-command, each checked by the values it leaves.
//   node_kinds <kind>, or `all`; without an argument the kinds are listed.
// Prints "<kind> ok". Exit 1 if a call or a value is wrong, 2 for an unknown kind.
#include <cuda.h>

#include "tests/jobs/integers.h"
#include "tests/jobs/kinds.h"

// Waits for the kernel before it where that may still run.
__global__ void add_behind(int* data, int count, int value) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

namespace {

using jobs::Buffer;
using jobs::kCount;
using jobs::LaunchAndWait;
using jobs::RunOnce;
using jobs::Stream;

void Check(CUresult result, const char* call) {
  jobs::Expect(result == CUDA_SUCCESS, call, result);
}
#define CHECK_DRIVER(call) Check((call), #call)

void Begin(cudaStream_t stream) {
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

cudaGraph_t End(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void Add(const Buffer& buffer, int value, cudaStream_t stream) {
  add_behind<<<2, kCount / 2, 0, stream>>>(buffer.get(), kCount, value);
  CHECK(cudaGetLastError());
}

void AddWith(const Buffer& buffer, int value, cudaStream_t stream, cudaLaunchAttribute* attribute) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(kCount / 2);
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, add_behind, buffer.get(), int{kCount}, value));
}

// Programmatic dependent launches: a kernel may begin before the one in front of it has ended.
void Programmatic() {
  const Buffer buffer;
  const Stream stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  Begin(stream);
  Add(buffer, 1, stream);
  AddWith(buffer, 10, stream, &attribute);
  AddWith(buffer, 100, stream, &attribute);
  RunOnce(End(stream), stream);
  buffer.ExpectAll(111);
}

// One graph records an event that another, on another stream, waits for.
void Events() {
  const Buffer from, to;
  const Stream first, second;
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  Begin(first);
  Add(from, 5, first);
  CHECK(cudaEventRecordWithFlags(event, first, cudaEventRecordExternal));
  cudaGraph_t recording = End(first);
  Begin(second);
  CHECK(cudaStreamWaitEvent(second, event, cudaEventWaitExternal));
  CHECK(cudaMemcpyAsync(to.get(), from.get(), kCount * sizeof(int), cudaMemcpyDeviceToDevice,
                        second));
  cudaGraph_t waiting = End(second);
  cudaGraphExec_t records = nullptr, waits = nullptr;
  CHECK(cudaGraphInstantiate(&records, recording, 0));
  CHECK(cudaGraphInstantiate(&waits, waiting, 0));
  CHECK(cudaGraphLaunch(records, first));
  LaunchAndWait(waits, second);
  to.ExpectAll(5);
  CHECK(cudaGraphExecDestroy(records));
  CHECK(cudaGraphExecDestroy(waits));
  CHECK(cudaGraphDestroy(recording));
  CHECK(cudaGraphDestroy(waiting));
  CHECK(cudaEventDestroy(event));
}

// A word is written by a node of memory operations, in front of a kernel.
void Batch() {
  const Buffer buffer;
  const Stream stream;
  CUstreamBatchMemOpParams write{};
  write.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  Begin(stream);
  for (int i = 0; i < kCount; ++i) {
    write.writeValue.address = reinterpret_cast<CUdeviceptr>(buffer.get() + i);
    write.writeValue.value = 30;
    CHECK_DRIVER(cuStreamBatchMemOp(stream, 1, &write, 0));
  }
  Add(buffer, 4, stream);
  RunOnce(End(stream), stream);
  buffer.ExpectAll(34);
}

// Takes the graph.
void RunUploaded(cudaGraph_t graph, unsigned long long flags, cudaStream_t stream) {
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, flags));
  CHECK(cudaGraphUpload(executable, stream));
  LaunchAndWait(executable, stream);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
}

// An executable that kernels, too, could launch.
void DeviceLaunch() {
  const Buffer buffer;
  const Stream stream;
  Begin(stream);
  Add(buffer, 6, stream);
  RunUploaded(End(stream), cudaGraphInstantiateFlagDeviceLaunch, stream);
  buffer.ExpectAll(6);
}

// A node that kernels could change.
void DeviceUpdatable() {
  const Buffer buffer;
  const Stream stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
  attribute.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
  Begin(stream);
  AddWith(buffer, 8, stream, &attribute);
  Add(buffer, 1, stream);
  RunUploaded(End(stream), 0, stream);
  buffer.ExpectAll(9);
}

// Some of the device's multiprocessors, as a context.
class GreenContext {
 public:
  GreenContext() {
    CUdevResource all{}, part{};
    CUdevResourceDesc description = nullptr;
    unsigned groups = 1;
    CHECK(cudaFree(nullptr));
    CHECK_DRIVER(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    CHECK_DRIVER(cuDevSmResourceSplitByCount(&part, &groups, &all, nullptr, 0, 8));
    CHECK_DRIVER(cuDevResourceGenerateDesc(&description, &part, 1));
    CHECK_DRIVER(cuGreenCtxCreate(&green_, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    CHECK_DRIVER(cuGreenCtxStreamCreate(&stream_, green_, CU_STREAM_NON_BLOCKING, 0));
  }
  ~GreenContext() {
    CHECK(cudaStreamDestroy(stream_));
    CHECK_DRIVER(cuGreenCtxDestroy(green_));
  }
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  cudaStream_t stream() const { return stream_; }
  CUcontext context() const {
    CUcontext context = nullptr;
    CHECK_DRIVER(cuCtxFromGreenCtx(&context, green_));
    return context;
  }

 private:
  CUgreenCtx green_ = nullptr;
  CUstream stream_ = nullptr;
};

void CaptureTwice(const Buffer& buffer, cudaStream_t stream) {
  Begin(stream);
  Add(buffer, 20, stream);
  Add(buffer, 3, stream);
  RunOnce(End(stream), stream);
}

// Captured on a stream of a green context, while the device's usual one is current.
void GreenStream() {
  const Buffer buffer;
  const GreenContext green;
  CaptureTwice(buffer, green.stream());
  buffer.ExpectAll(23);
}

// The same with the green context current.
void GreenCurrent() {
  const Buffer buffer;
  const GreenContext green;
  CHECK_DRIVER(cuCtxPushCurrent(green.context()));
  CaptureTwice(buffer, green.stream());
  CUcontext popped = nullptr;
  CHECK_DRIVER(cuCtxPopCurrent(&popped));
  buffer.ExpectAll(23);
}

constexpr jobs::Kind kKinds[] = {
    {"programmatic", &Programmatic},
    {"events", &Events},
    {"batch", &Batch},
    {"device_launch", &DeviceLaunch},
    {"device_updatable", &DeviceUpdatable},
    {"green_stream", &GreenStream},
    {"green_current", &GreenCurrent},
};

}  // namespace

int main(int argc, char** argv) { return jobs::RunKinds(argc, argv, "node_kinds", kKinds); }
