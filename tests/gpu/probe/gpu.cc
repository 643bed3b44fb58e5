#include "tests/gpu/probe/gpu.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace probe_test {

void Must(CUresult result, std::source_location where) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "probe_kernels: %s:%u: %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), name == nullptr ? "unknown error" : name);
  std::exit(1);
}

Memory::Memory(std::size_t bytes) { Must(cuMemAlloc(&address_, std::max<std::size_t>(bytes, 1))); }

Memory::~Memory() {
  if (address_ != 0) Must(cuMemFree(address_));
}

Memory::Memory(Memory&& other) noexcept : address_(std::exchange(other.address_, 0)) {}

void Memory::Write(std::size_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  Must(cuMemcpyHtoD(address_ + offset, bytes.data(), bytes.size()));
  Must(cuCtxSynchronize());  // the copy may still be under way, and no other stream waits for it
}

std::vector<std::byte> Memory::Read(std::size_t offset, std::size_t bytes) const {
  std::vector<std::byte> read(bytes);
  if (bytes != 0) Must(cuMemcpyDtoH(read.data(), address_ + offset, bytes));
  return read;
}

Gpu::Gpu() {
  Must(cuInit(0));
  Must(cuDeviceGet(&device_, 0));
  CUcontext context = nullptr;
  Must(cuDevicePrimaryCtxRetain(&context, device_));
  Must(cuCtxSetCurrent(context));
  Must(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  Must(cuEventCreate(&begin_, CU_EVENT_DEFAULT));
  Must(cuEventCreate(&end_, CU_EVENT_DEFAULT));
  Must(cuDeviceGetAttribute(&major_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_));
  Must(cuDeviceGetAttribute(&minor_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_));
}

std::string Gpu::name() const {
  char name[256] = {};
  Must(cuDeviceGetName(name, sizeof(name), device_));
  return name;
}

CUmodule Gpu::Load(std::span<const std::byte> image) const {
  CUmodule module = nullptr;
  Must(cuModuleLoadData(&module, image.data()));
  return module;
}

CUfunction Gpu::Find(CUmodule module, const char* name) const {
  CUfunction function = nullptr;
  Must(cuModuleGetFunction(&function, module, name));
  return function;
}

void Gpu::Launch(const KernelCall& call) const {
  auto arguments = call.arguments;
  Must(cuLaunchKernel(call.function, call.blocks, 1, 1, call.threads, 1, 1, 0, stream_,
                      arguments.data(), nullptr));
}

void Gpu::Wait() const { Must(cuStreamSynchronize(stream_)); }

CUgraphExec Gpu::Chain(std::span<const KernelCall> calls) const {
  CUgraph graph = nullptr;
  Must(cuGraphCreate(&graph, 0));
  CUgraphNode last = nullptr;
  for (const KernelCall& call : calls) {
    auto arguments = call.arguments;
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = call.function;
    params.gridDimX = call.blocks;
    params.blockDimX = call.threads;
    params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments.data();
    CUgraphNode node = nullptr;
    Must(cuGraphAddKernelNode(&node, graph, &last, last == nullptr ? 0 : 1, &params));
    last = node;
  }
  CUgraphExec executable = nullptr;
  Must(cuGraphInstantiateWithFlags(&executable, graph, 0));
  Must(cuGraphDestroy(graph));
  Must(cuGraphUpload(executable, stream_));
  Must(cuStreamSynchronize(stream_));
  return executable;
}

double Gpu::Time(CUgraphExec graph, int launches) const {
  Must(cuGraphLaunch(graph, stream_));  // so that the clock starts behind work
  Must(cuEventRecord(begin_, stream_));
  for (int i = 0; i < launches; ++i) Must(cuGraphLaunch(graph, stream_));
  Must(cuEventRecord(end_, stream_));
  Must(cuEventSynchronize(end_));
  float milliseconds = 0;
  Must(cuEventElapsedTime(&milliseconds, begin_, end_));
  return 1e3 * milliseconds;
}

}  // namespace probe_test
