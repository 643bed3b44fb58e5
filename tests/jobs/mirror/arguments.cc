#include "tests/jobs/mirror/arguments.h"

#include <cstring>

#include "tests/jobs/mirror/driver.h"

namespace mirror {
namespace {

const unsigned* AddressOf(const Buffer* buffer) {
  return buffer != nullptr ? buffer->device : nullptr;
}

void CountCall(void* counter) { ++static_cast<Counter*>(counter)->seen; }

CUfunction DriverFunction(Function function) {
  cudaFunction_t found = nullptr;
  CHECK(cudaGetFuncBySymbol(&found, SymbolOf(function)));
  return found;
}

}  // namespace

KernelArguments::KernelArguments(const Node& node)
    : node_(node),
      source_(AddressOf(node.source)),
      second_(AddressOf(node.second)),
      target_(node.target != nullptr ? node.target->device : nullptr),
      words_(node.words),
      factor_(node.factor),
      add_(node.add) {
  if (node.condition != nullptr) {
    condition_ = node.condition->handle;
    Add(condition_);
    node.function == Function::kChoose ? Add(source_) : Add(target_);
    if (node.function == Function::kChoose) Add(factor_);
    return;
  }
  if (node.source != nullptr) Add(source_);
  if (node.second != nullptr) Add(second_);
  Add(target_);
  Add(words_);
  const bool two_numbers = node.source != nullptr && node.second == nullptr;
  if (two_numbers) Add(factor_);
  if (node.second == nullptr) Add(add_);
}

// Each argument lies at a multiple of its size.
template <typename Value>
void KernelArguments::Add(Value& value) {
  pointers_[count_++] = &value;
  packed_bytes_ = (packed_bytes_ + sizeof value - 1) / sizeof value * sizeof value;
  std::memcpy(&packed_[packed_bytes_], &value, sizeof value);
  packed_bytes_ += sizeof value;
}

cudaKernelNodeParams KernelArguments::Runtime() {
  cudaKernelNodeParams parameters{};
  parameters.func = SymbolOf(node_.function);
  parameters.gridDim = dim3(node_.blocks);
  parameters.blockDim = dim3(kBlock);
  parameters.kernelParams = pointers_.data();
  return parameters;
}

CUDA_KERNEL_NODE_PARAMS_v1 KernelArguments::DriverV1() {
  CUDA_KERNEL_NODE_PARAMS_v1 parameters{};
  parameters.func = DriverFunction(node_.function);
  parameters.gridDimX = node_.blocks;
  parameters.blockDimX = kBlock;
  parameters.gridDimY = parameters.gridDimZ = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = pointers_.data();
  return parameters;
}

CUDA_KERNEL_NODE_PARAMS_v2 KernelArguments::DriverV2() {
  CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
  parameters.func = DriverFunction(node_.function);
  parameters.gridDimX = node_.blocks;
  parameters.blockDimX = kBlock;
  parameters.gridDimY = parameters.gridDimZ = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = pointers_.data();
  return parameters;
}

CUDA_KERNEL_NODE_PARAMS_v2 KernelArguments::DriverPacked() {
  CUDA_KERNEL_NODE_PARAMS_v2 parameters = DriverV2();
  extra_ = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed_.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
            &packed_bytes_, CU_LAUNCH_PARAM_END};
  parameters.kernelParams = nullptr;
  parameters.extra = extra_.data();
  return parameters;
}

cudaMemsetParams FillArguments(const Node& node) {
  cudaMemsetParams parameters{};
  parameters.dst = node.target->device;
  parameters.value = node.add;
  parameters.elementSize = sizeof(unsigned);
  parameters.width = node.words;
  parameters.height = 1;
  return parameters;
}

cudaMemcpy3DParms CopyArguments(const Node& node) {
  const std::size_t bytes = node.words * sizeof(unsigned);
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = make_cudaPitchedPtr(node.source->device, bytes, bytes, 1);
  parameters.dstPtr = make_cudaPitchedPtr(node.target->device, bytes, bytes, 1);
  parameters.extent = make_cudaExtent(bytes, 1, 1);
  parameters.kind = cudaMemcpyDeviceToDevice;
  return parameters;
}

CUDA_MEMCPY3D DriverCopyArguments(const Node& node) {
  CUDA_MEMCPY3D parameters{};
  parameters.srcMemoryType = parameters.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  parameters.srcDevice = reinterpret_cast<CUdeviceptr>(node.source->device);
  parameters.dstDevice = reinterpret_cast<CUdeviceptr>(node.target->device);
  parameters.WidthInBytes = node.words * sizeof(unsigned);
  parameters.srcPitch = parameters.dstPitch = parameters.WidthInBytes;
  parameters.srcHeight = parameters.dstHeight = 1;
  parameters.Height = parameters.Depth = 1;
  return parameters;
}

cudaHostNodeParams HostArguments(const Node& node) { return {&CountCall, node.counter}; }

CUcontext CurrentContext() {
  CUcontext context = nullptr;
  CHECK_DRIVER(cuCtxGetCurrent(&context));
  return context;
}

}  // namespace mirror
