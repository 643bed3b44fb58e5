// Allocations: they tell which words of kernel arguments are pointers, and how far they reach.
#include "interpose/hooks/hook.h"

using namespace graphtap::hooks;

namespace {

// `call` is for points: an allocation that fails is one.
CUresult Allocated(const char* call, CUresult result, const CUdeviceptr* address, size_t bytes) {
  if (auto* observer = Observer::Active()) {
    observer->OnAllocate(address, bytes, result);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) observer->points().OnOutOfMemory(call, bytes);
  }
  return result;
}

CUresult HostAllocated(CUresult result, const void* address, size_t bytes) {
  if (auto* observer = Observer::Active()) observer->OnHostMemory(address, bytes, result);
  return result;
}

// The real free between the two halves of what the observer does.
template <typename Free>
CUresult Freed(CUdeviceptr address, Free free) {
  auto* observer = Observer::Active();
  if (observer == nullptr) return free();
  const auto allocation = observer->BeforeFree(address);
  const CUresult result = free();
  observer->OnFree(allocation, result);
  return result;
}

CUdeviceptr Address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace

GRAPHTAP_HOOK cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return Allocated("cuMemAlloc", CallReal<Hook::cuMemAlloc_v2>(address, bytes), address, bytes);
}

GRAPHTAP_HOOK cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                                 unsigned int element_bytes) {
  const CUresult result =
      CallReal<Hook::cuMemAllocPitch_v2>(address, pitch, width, height, element_bytes);
  return Allocated("cuMemAllocPitch", result, address,
                   result == CUDA_SUCCESS ? *pitch * height : width * height);
}

GRAPHTAP_HOOK cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
  return Allocated("cuMemAllocManaged", CallReal<Hook::cuMemAllocManaged>(address, bytes, flags),
                   address, bytes);
}

GRAPHTAP_HOOK cuMemFree_v2(CUdeviceptr address) {
  return Freed(address, [&] { return CallReal<Hook::cuMemFree_v2>(address); });
}

GRAPHTAP_HOOK cuMemAllocHost_v2(void** address, size_t bytes) {
  const CUresult result = CallReal<Hook::cuMemAllocHost_v2>(address, bytes);
  return HostAllocated(result, result == CUDA_SUCCESS ? *address : nullptr, bytes);
}

GRAPHTAP_HOOK cuMemHostAlloc(void** address, size_t bytes, unsigned int flags) {
  const CUresult result = CallReal<Hook::cuMemHostAlloc>(address, bytes, flags);
  return HostAllocated(result, result == CUDA_SUCCESS ? *address : nullptr, bytes);
}

GRAPHTAP_HOOK cuMemFreeHost(void* address) {
  return Freed(Address(address), [&] { return CallReal<Hook::cuMemFreeHost>(address); });
}

GRAPHTAP_HOOK cuMemHostRegister_v2(void* address, size_t bytes, unsigned int flags) {
  return HostAllocated(CallReal<Hook::cuMemHostRegister_v2>(address, bytes, flags), address, bytes);
}

GRAPHTAP_HOOK cuMemHostUnregister(void* address) {
  return Freed(Address(address), [&] { return CallReal<Hook::cuMemHostUnregister>(address); });
}

GRAPHTAP_HOOK cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return Allocated("cuMemAllocAsync", CallReal<Hook::cuMemAllocAsync>(address, bytes, stream),
                   address, bytes);
}

GRAPHTAP_HOOK cuMemAllocAsync_ptsz(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return Allocated("cuMemAllocAsync", CallReal<Hook::cuMemAllocAsync_ptsz>(address, bytes, stream),
                   address, bytes);
}

GRAPHTAP_HOOK cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                      CUstream stream) {
  return Allocated("cuMemAllocFromPoolAsync",
                   CallReal<Hook::cuMemAllocFromPoolAsync>(address, bytes, pool, stream), address,
                   bytes);
}

GRAPHTAP_HOOK cuMemAllocFromPoolAsync_ptsz(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                           CUstream stream) {
  return Allocated("cuMemAllocFromPoolAsync",
                   CallReal<Hook::cuMemAllocFromPoolAsync_ptsz>(address, bytes, pool, stream),
                   address, bytes);
}

GRAPHTAP_HOOK cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return Freed(address, [&] { return CallReal<Hook::cuMemFreeAsync>(address, stream); });
}

GRAPHTAP_HOOK cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  return Freed(address, [&] { return CallReal<Hook::cuMemFreeAsync_ptsz>(address, stream); });
}

GRAPHTAP_HOOK cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                          const CUmemAllocationProp* properties, unsigned long long flags) {
  const CUresult result = CallReal<Hook::cuMemCreate>(handle, bytes, properties, flags);
  auto* observer = Observer::Active();
  if (observer != nullptr && result == CUDA_ERROR_OUT_OF_MEMORY) {
    observer->points().OnOutOfMemory("cuMemCreate", bytes);
  }
  return result;
}

GRAPHTAP_HOOK cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags) {
  const CUresult result = CallReal<Hook::cuMemMap>(address, bytes, offset, handle, flags);
  if (auto* observer = Observer::Active()) observer->OnMap(address, bytes, result);
  return result;
}

GRAPHTAP_HOOK cuMemUnmap(CUdeviceptr address, size_t bytes) {
  if (auto* observer = Observer::Active()) observer->BeforeUnmap();
  const CUresult result = CallReal<Hook::cuMemUnmap>(address, bytes);
  if (auto* observer = Observer::Active()) observer->OnUnmap(address, bytes, result);
  return result;
}
