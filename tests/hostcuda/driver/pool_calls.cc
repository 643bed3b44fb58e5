// Memory pools and stream-ordered allocation. Memory is allocated at the call and freed in the
// stream's order; a pool is a name with attributes, it keeps no memory. On a capturing stream an
// allocation or a free becomes a node.
#include <map>
#include <mutex>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/devices.h"
#include "tests/hostcuda/driver/graph_memory.h"
#include "tests/hostcuda/driver/memory.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

struct Pool {
  explicit Pool(int ordinal) : device(ordinal) {}
  CUmemoryPool Handle() { return reinterpret_cast<CUmemoryPool>(this); }

  const int device;
  const std::shared_ptr<DeviceAccess> access = std::make_shared<DeviceAccess>();
  std::mutex mutex;
  std::map<int, cuuint64_t> attributes;
};

struct DevicePools {
  std::mutex mutex;
  std::map<int, std::shared_ptr<Pool>> defaults;
  std::map<int, CUmemoryPool> current;
};

DevicePools& AllPools() {
  static auto& pools = *new DevicePools;
  return pools;
}

CUmemoryPool DefaultPool(int device) {
  std::lock_guard lock(AllPools().mutex);
  std::shared_ptr<Pool>& pool = AllPools().defaults[device];
  if (!pool) {
    pool = std::make_shared<Pool>(device);
    Live<Pool>().Add(pool);
  }
  return pool->Handle();
}

bool IsFlag(CUmemPool_attribute attribute) {
  return attribute == CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES ||
         attribute == CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC ||
         attribute == CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

CUresult AllocateAsync(CUdeviceptr* address, std::size_t bytes, const Pool& pool, CUstream handle) {
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS || CaptureAllocation(*stream, bytes, pool.device, address, &result)) {
    return result;
  }
  result = CheckCaptureRules(CallClass::kUnsafe);
  if (result != CUDA_SUCCESS) return result;
  void* start =
      Memory().Allocate(MemoryKind::kPool, bytes, 0, *PrimaryContext(pool.device), pool.access);
  if (start == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(start);
  return CUDA_SUCCESS;
}

// Frees what a graph allocated; it lives until the stream's earlier work is over.
CUresult FreeOfGraph(Stream& stream, const std::shared_ptr<GraphAllocation>& allocation) {
  CUresult result = FreeGraphMemory(allocation);
  if (result == CUDA_SUCCESS) stream.Enqueue([allocation] { return CUDA_SUCCESS; });
  return result;
}

}  // namespace

namespace calls {

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream handle) {
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  CUmemoryPool pool = nullptr;
  result = calls::cuDeviceGetMemPool(&pool, stream->context.device);
  return result == CUDA_SUCCESS ? calls::cuMemAllocFromPoolAsync(address, bytes, pool, handle)
                                : result;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool handle,
                                 CUstream stream) {
  std::shared_ptr<Pool> pool = Live<Pool>().Find(handle);
  return pool ? AllocateAsync(address, bytes, *pool, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS || CaptureFree(*stream, address, &result)) return result;
  result = CheckCaptureRules(CallClass::kUnsafe);
  if (result != CUDA_SUCCESS) return result;
  if (auto allocation = FindGraphAllocation(address)) return FreeOfGraph(*stream, allocation);
  auto matches = [](MemoryKind kind) {
    return kind == MemoryKind::kPool || kind == MemoryKind::kDevice;
  };
  std::optional<Allocation> found = Memory().Find(address);
  if (!found || found->base != address || !matches(found->kind)) return CUDA_ERROR_INVALID_VALUE;
  stream->Enqueue([address, matches] {
    return Memory().Free(address, matches) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
  });
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = DefaultPool(device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  CUresult result = calls::cuDeviceGetDefaultMemPool(pool, device);
  if (result != CUDA_SUCCESS) return result;
  std::lock_guard lock(AllPools().mutex);
  auto current = AllPools().current.find(device);
  if (current != AllPools().current.end()) *pool = current->second;
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (!Live<Pool>().Find(pool)) return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(AllPools().mutex);
  AllPools().current[device] = pool;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  bool on_device = properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (!on_device || !IsDevice(properties->location.id)) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_shared<Pool>(properties->location.id);
  *pool = made->Handle();
  Live<Pool>().Add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  std::shared_ptr<Pool> pool = Live<Pool>().Find(handle);
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(AllPools().mutex);
  auto of_device = AllPools().defaults.find(pool->device);
  if (of_device != AllPools().defaults.end() && of_device->second == pool) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Live<Pool>().Remove(handle);
  std::erase_if(AllPools().current, [handle](const auto& entry) { return entry.second == handle; });
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* descriptions,
                            std::size_t count) {
  std::shared_ptr<Pool> pool = Live<Pool>().Find(handle);
  if (!pool || (count != 0 && descriptions == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    const CUmemLocation& location = descriptions[i].location;
    bool on_device = location.type == CU_MEM_LOCATION_TYPE_DEVICE && IsDevice(location.id);
    if (!on_device) return CUDA_ERROR_INVALID_DEVICE;
    bool given = descriptions[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (!given && location.id == pool->device) return CUDA_ERROR_INVALID_DEVICE;
    given ? pool->access->Give(location.id) : pool->access->Take(location.id);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool handle,
                            CUmemLocation* location) {
  std::shared_ptr<Pool> pool = Live<Pool>().Find(handle);
  if (!pool || flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  bool on_device = location->type == CU_MEM_LOCATION_TYPE_DEVICE && IsDevice(location->id);
  if (!on_device) return CUDA_ERROR_INVALID_VALUE;
  bool given = location->id == pool->device || pool->access->Has(location->id);
  *flags = given ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t) {
  return Live<Pool>().Find(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  std::shared_ptr<Pool> pool = Live<Pool>().Find(handle);
  if (!pool || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(pool->mutex);
  pool->attributes[attribute] = IsFlag(attribute)
                                    ? static_cast<cuuint64_t>(*static_cast<int*>(value))
                                    : *static_cast<cuuint64_t*>(value);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  std::shared_ptr<Pool> pool = Live<Pool>().Find(handle);
  if (!pool || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(pool->mutex);
  if (IsFlag(attribute)) {
    *static_cast<int*>(value) = static_cast<int>(pool->attributes[attribute]);
  } else {
    *static_cast<cuuint64_t*>(value) = pool->attributes[attribute];
  }
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace hostcuda
