// Memory pools, and memory of other processes.
#include <cstring>

#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Address;
using hostcuda::Call;
using hostcuda::DriverTable;

// Descriptions and handles of the runtime and of the driver have one layout and equal numbers.
static_assert(sizeof(cudaMemPoolProps) == sizeof(CUmemPoolProps));
static_assert(sizeof(cudaMemAccessDesc) == sizeof(CUmemAccessDesc));
static_assert(sizeof(cudaMemLocation) == sizeof(CUmemLocation));
static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle));

extern "C" cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return Call(&DriverTable::cuDeviceGetDefaultMemPool_v11020, pool, device);
}

extern "C" cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return Call(&DriverTable::cuDeviceGetMemPool_v11020, pool, device);
}

extern "C" cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return Call(&DriverTable::cuDeviceSetMemPool_v11020, device, pool);
}

extern "C" cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return Call(&DriverTable::cuMemPoolCreate_v11020, pool,
              reinterpret_cast<const CUmemPoolProps*>(properties));
}

extern "C" cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return Call(&DriverTable::cuMemPoolDestroy_v11020, pool);
}

extern "C" cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  return Call(&DriverTable::cuMemPoolTrimTo_v11020, pool, bytes);
}

extern "C" cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                               void* value) {
  return Call(&DriverTable::cuMemPoolSetAttribute_v11020, pool,
              static_cast<CUmemPool_attribute>(attribute), value);
}

extern "C" cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                               void* value) {
  return Call(&DriverTable::cuMemPoolGetAttribute_v11020, pool,
              static_cast<CUmemPool_attribute>(attribute), value);
}

extern "C" cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool,
                                            const cudaMemAccessDesc* descriptions, size_t count) {
  return Call(&DriverTable::cuMemPoolSetAccess_v11020, pool,
              reinterpret_cast<const CUmemAccessDesc*>(descriptions), count);
}

extern "C" cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                            cudaMemLocation* location) {
  return Call(&DriverTable::cuMemPoolGetAccess_v11020, reinterpret_cast<CUmemAccess_flags*>(flags),
              pool, reinterpret_cast<CUmemLocation*>(location));
}

HOSTCUDA_STREAM_ENTRY(cudaMallocFromPoolAsync, _ptsz,
                      (void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream), {
                        CUdeviceptr address = 0;
                        const cudaError_t error =
                            Call(default_stream, &DriverTable::cuMemAllocFromPoolAsync_v11020,
                                 &address, bytes, pool, stream);
                        *pointer = reinterpret_cast<void*>(address);
                        return error;
                      })

extern "C" cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return Call(&DriverTable::cuIpcGetMemHandle_v4010, reinterpret_cast<CUipcMemHandle*>(handle),
              Address(pointer));
}

extern "C" cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle,
                                            unsigned flags) {
  CUipcMemHandle driver_handle;
  std::memcpy(&driver_handle, &handle, sizeof handle);
  CUdeviceptr address = 0;
  const cudaError_t error =
      Call(&DriverTable::cuIpcOpenMemHandle_v11000, &address, driver_handle, flags);
  if (error == cudaSuccess) *pointer = reinterpret_cast<void*>(address);
  return error;
}

extern "C" cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return Call(&DriverTable::cuIpcCloseMemHandle_v4010, Address(pointer));
}
