#include "tests/hostcuda/runtime/copy_parameters.h"

namespace hostcuda {
namespace {

bool SourceOnHost(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
}

bool DestinationOnHost(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
}

CUmemorytype TypeOf(cudaMemcpyKind kind, bool on_host) {
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  return on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

cudaMemcpyKind KindOf(CUmemorytype source, CUmemorytype destination) {
  if (source == CU_MEMORYTYPE_UNIFIED || destination == CU_MEMORYTYPE_UNIFIED) {
    return cudaMemcpyDefault;
  }
  if (source == CU_MEMORYTYPE_HOST) {
    return destination == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  }
  return destination == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

}  // namespace

cudaMemcpy3DParms LinearCopy(void* destination, const void* source, size_t bytes,
                             cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {const_cast<void*>(source), bytes, bytes, 1};
  copy.dstPtr = {destination, bytes, bytes, 1};
  copy.extent = {bytes, 1, 1};
  copy.kind = kind;
  return copy;
}

cudaError_t ToDriver(const cudaMemcpy3DParms& copy, CUDA_MEMCPY3D* driver_copy) {
  if (copy.srcArray != nullptr || copy.dstArray != nullptr) return cudaErrorInvalidValue;
  *driver_copy = {};
  driver_copy->srcMemoryType = TypeOf(copy.kind, SourceOnHost(copy.kind));
  driver_copy->srcHost = copy.srcPtr.ptr;
  driver_copy->srcDevice = reinterpret_cast<CUdeviceptr>(copy.srcPtr.ptr);
  driver_copy->srcXInBytes = copy.srcPos.x;
  driver_copy->srcY = copy.srcPos.y;
  driver_copy->srcZ = copy.srcPos.z;
  driver_copy->srcPitch = copy.srcPtr.pitch;
  driver_copy->srcHeight = copy.srcPtr.ysize;
  driver_copy->dstMemoryType = TypeOf(copy.kind, DestinationOnHost(copy.kind));
  driver_copy->dstHost = copy.dstPtr.ptr;
  driver_copy->dstDevice = reinterpret_cast<CUdeviceptr>(copy.dstPtr.ptr);
  driver_copy->dstXInBytes = copy.dstPos.x;
  driver_copy->dstY = copy.dstPos.y;
  driver_copy->dstZ = copy.dstPos.z;
  driver_copy->dstPitch = copy.dstPtr.pitch;
  driver_copy->dstHeight = copy.dstPtr.ysize;
  driver_copy->WidthInBytes = copy.extent.width;
  driver_copy->Height = copy.extent.height;
  driver_copy->Depth = copy.extent.depth;
  return cudaSuccess;
}

cudaMemcpy3DParms FromDriver(const CUDA_MEMCPY3D& driver_copy) {
  const auto pointer = [](CUmemorytype type, const void* host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : reinterpret_cast<void*>(device);
  };
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {pointer(driver_copy.srcMemoryType, driver_copy.srcHost, driver_copy.srcDevice),
                 driver_copy.srcPitch, driver_copy.srcPitch, driver_copy.srcHeight};
  copy.dstPtr = {pointer(driver_copy.dstMemoryType, driver_copy.dstHost, driver_copy.dstDevice),
                 driver_copy.dstPitch, driver_copy.dstPitch, driver_copy.dstHeight};
  copy.srcPos = {driver_copy.srcXInBytes, driver_copy.srcY, driver_copy.srcZ};
  copy.dstPos = {driver_copy.dstXInBytes, driver_copy.dstY, driver_copy.dstZ};
  copy.extent = {driver_copy.WidthInBytes, driver_copy.Height, driver_copy.Depth};
  copy.kind = KindOf(driver_copy.srcMemoryType, driver_copy.dstMemoryType);
  return copy;
}

}  // namespace hostcuda
