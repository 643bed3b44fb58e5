// Devices of one process and each other's memory.
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Address;
using hostcuda::Call;
using hostcuda::DefaultStream;
using hostcuda::DriverTable;
using hostcuda::Keep;

namespace {

cudaError_t BothContexts(int first, int second, CUcontext* first_context,
                         CUcontext* second_context) {
  cudaError_t error = hostcuda::EnsureContext();
  if (error == cudaSuccess) error = hostcuda::PrimaryContext(first, first_context);
  if (error == cudaSuccess) error = hostcuda::PrimaryContext(second, second_context);
  return Keep(error);
}

}  // namespace

extern "C" cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return Call(&DriverTable::cuDeviceCanAccessPeer_v4000, can, device, peer);
}

extern "C" cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute,
                                                 int device, int peer) {
  return Call(&DriverTable::cuDeviceGetP2PAttribute_v8000, value,
              static_cast<CUdevice_P2PAttribute>(attribute), device, peer);
}

extern "C" cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  CUcontext context = nullptr;
  const cudaError_t error = hostcuda::PrimaryContext(peer, &context);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuCtxEnablePeerAccess_v4000, context, flags);
}

extern "C" cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  CUcontext context = nullptr;
  const cudaError_t error = hostcuda::PrimaryContext(peer, &context);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuCtxDisablePeerAccess_v4000, context);
}

extern "C" cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                      size_t bytes) {
  CUcontext to_context = nullptr, from_context = nullptr;
  const cudaError_t error = BothContexts(to_device, from_device, &to_context, &from_context);
  if (error != cudaSuccess) return error;
  return Call(&DriverTable::cuMemcpyPeer_v4000, Address(to), to_context, Address(from),
              from_context, bytes);
}

extern "C" cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from,
                                           int from_device, size_t bytes, cudaStream_t stream) {
  CUcontext to_context = nullptr, from_context = nullptr;
  const cudaError_t error = BothContexts(to_device, from_device, &to_context, &from_context);
  if (error != cudaSuccess) return error;
  return Call(&DriverTable::cuMemcpyPeerAsync_v4000, Address(to), to_context, Address(from),
              from_context, bytes, stream);
}
