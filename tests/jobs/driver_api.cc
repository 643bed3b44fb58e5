// A graph job on the driver API alone: linked to libcuda.so.1, its kernel loaded from PTX text.
// Captures one launch with kernelParams and one with the packed `extra` form, replays them, changes
// a parameter of the executable, replays again. Prints "driver_api ok <sum>". Exit 1 if anything is
// wrong.
#include <cuda.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

// data[i] += value for i < count
constexpr const char* kPtx = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry add_value(.param .u64 data, .param .u32 count, .param .u32 value)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [data];
  ld.param.u32 %r1, [count];
  ld.param.u32 %r2, [value];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p1, %r6, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %d1, %d1;
  mul.wide.u32 %d2, %r6, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.u32 %r7, [%d3];
  add.s32 %r7, %r7, %r2;
  st.global.u32 [%d3], %r7;
DONE:
  ret;
}
)";

constexpr unsigned kCount = 1000;
constexpr unsigned kBlock = 128;
constexpr unsigned kGrid = (kCount + kBlock - 1) / kBlock;

void Check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "driver_api: %s: %s\n", call, name != nullptr ? name : "unknown error");
  std::exit(1);
}
#define CHECK(call) Check((call), #call)

struct AddValueArguments {
  CUdeviceptr data;
  std::uint32_t count;
  std::uint32_t value;
};

void LaunchByParams(CUfunction function, AddValueArguments arguments, CUstream stream) {
  std::array<void*, 3> params{&arguments.data, &arguments.count, &arguments.value};
  CHECK(cuLaunchKernel(function, kGrid, 1, 1, kBlock, 1, 1, 0, stream, params.data(), nullptr));
}

void LaunchByExtra(CUfunction function, AddValueArguments arguments, CUstream stream) {
  std::size_t size = sizeof(arguments);
  std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments,
                             CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(function, kGrid, 1, 1, kBlock, 1, 1, 0, stream, nullptr, extra.data()));
}

// Sets what the first node adds, in the executable alone.
void SetFirstValue(CUgraph graph, CUgraphExec exec, CUfunction function,
                   AddValueArguments arguments) {
  std::size_t count = 1;
  CUgraphNode root = nullptr;
  CHECK(cuGraphGetRootNodes(graph, &root, &count));
  std::array<void*, 3> params{&arguments.data, &arguments.count, &arguments.value};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = function;
  node.gridDimX = kGrid;
  node.blockDimX = kBlock;
  node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = params.data();
  CHECK(cuGraphExecKernelNodeSetParams(exec, root, &node));
}

long long Replay(CUfunction function, CUdeviceptr data) {
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  LaunchByParams(function, {data, kCount, 1}, stream);
  LaunchByExtra(function, {data, kCount, 10}, stream);
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, stream));
  SetFirstValue(graph, exec, function, {data, kCount, 100});
  CHECK(cuGraphLaunch(exec, stream));
  std::vector<std::int32_t> host(kCount);
  CHECK(cuMemcpyDtoHAsync(host.data(), data, kCount * sizeof(std::int32_t), stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuStreamDestroy(stream));
  return std::accumulate(host.begin(), host.end(), 0LL);
}

}  // namespace

int main() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr data = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&function, module, "add_value"));
  CHECK(cuMemAlloc(&data, kCount * sizeof(std::int32_t)));
  CHECK(cuMemsetD32(data, 0, kCount));
  CHECK(cuCtxSynchronize());  // the job's stream does not wait for the legacy one
  const long long sum = Replay(function, data);
  CHECK(cuMemFree(data));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  constexpr long long kExpected = (1 + 10 + 100 + 10) * static_cast<long long>(kCount);
  if (sum != kExpected) {
    std::fprintf(stderr, "driver_api: expected the sum %lld, seen %lld\n", kExpected, sum);
    return 1;
  }
  std::printf("driver_api ok %lld\n", sum);
  return 0;
}
