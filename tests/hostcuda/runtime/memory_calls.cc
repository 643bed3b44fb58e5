// Allocation, and what is asked about pointers.
#include <array>

#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Address;
using hostcuda::Call;
using hostcuda::DriverTable;
using hostcuda::Keep;

extern "C" cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  if (pointer == nullptr) return Keep(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return Keep(hostcuda::EnsureContext());
  CUdeviceptr address = 0;
  const cudaError_t error = Call(&DriverTable::cuMemAlloc_v3020, &address, bytes);
  *pointer = reinterpret_cast<void*>(address);
  return error;
}

extern "C" cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return Keep(hostcuda::EnsureContext());
  return Call(&DriverTable::cuMemFree_v3020, Address(pointer));
}

HOSTCUDA_STREAM_ENTRY(cudaMallocAsync, _ptsz, (void** pointer, size_t bytes, cudaStream_t stream), {
  CUdeviceptr address = 0;
  const cudaError_t error =
      Call(default_stream, &DriverTable::cuMemAllocAsync_v11020, &address, bytes, stream);
  *pointer = reinterpret_cast<void*>(address);
  return error;
})

HOSTCUDA_STREAM_ENTRY(cudaFreeAsync, _ptsz, (void* pointer, cudaStream_t stream), {
  return Call(default_stream, &DriverTable::cuMemFreeAsync_v11020, Address(pointer), stream);
})

extern "C" cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return Call(&DriverTable::cuMemHostAlloc_v2020, pointer, bytes, flags);
}

extern "C" cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

extern "C" cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr) return Keep(hostcuda::EnsureContext());
  return Call(&DriverTable::cuMemFreeHost_v2000, pointer);
}

extern "C" cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* pointer,
                                                unsigned flags) {
  CUdeviceptr address = 0;
  const cudaError_t error =
      Call(&DriverTable::cuMemHostGetDevicePointer_v3020, &address, pointer, flags);
  *device_pointer = reinterpret_cast<void*>(address);
  return error;
}

extern "C" cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return Call(&DriverTable::cuMemHostGetFlags_v2030, flags, pointer);
}

extern "C" cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return Call(&DriverTable::cuMemHostRegister_v6050, pointer, bytes, flags);
}

extern "C" cudaError_t cudaHostUnregister(void* pointer) {
  return Call(&DriverTable::cuMemHostUnregister_v4000, pointer);
}

extern "C" cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return Call(&DriverTable::cuMemGetInfo_v3020, free_bytes, total_bytes);
}

extern "C" cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                const void* pointer) {
  unsigned type = 0;
  int device = -2;  // where nothing is known about the pointer
  void* device_pointer = nullptr;
  void* host_pointer = nullptr;
  std::array names{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                   CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_HOST_POINTER};
  std::array<void*, 4> values{&type, &device, &device_pointer, &host_pointer};
  const cudaError_t error =
      Call(&DriverTable::cuPointerGetAttributes_v7000, static_cast<unsigned>(names.size()),
           names.data(), values.data(), Address(pointer));
  if (error != cudaSuccess) return error;
  *attributes = {};
  attributes->type = type == CU_MEMORYTYPE_HOST     ? cudaMemoryTypeHost
                     : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                                    : cudaMemoryTypeUnregistered;
  attributes->device = device;
  attributes->devicePointer = device_pointer;
  attributes->hostPointer =
      attributes->type == cudaMemoryTypeUnregistered ? const_cast<void*>(pointer) : host_pointer;
  return cudaSuccess;
}
