#include "tests/hostcuda/driver/graph_memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/devices.h"

namespace hostcuda {
namespace {

bool IsOnDevice(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && IsDevice(location.id);
}

bool AreParams(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params) {
  const CUmemPoolProps& pool = params.poolProps;
  if (pool.allocType != CU_MEM_ALLOCATION_TYPE_PINNED || pool.handleTypes != 0) return false;
  if (!IsOnDevice(pool.location) || params.bytesize == 0) return false;
  if (params.accessDescCount > static_cast<std::size_t>(DeviceCount())) return false;
  if (params.accessDescCount != 0 && params.accessDescs == nullptr) return false;
  return std::all_of(params.accessDescs, params.accessDescs + params.accessDescCount,
                     [](const CUmemAccessDesc& access) { return IsOnDevice(access.location); });
}

bool Holds(const GraphAllocations& allocations, const std::shared_ptr<GraphAllocation>& one) {
  return std::find(allocations.begin(), allocations.end(), one) != allocations.end();
}

// An amount with the highest value that it had.
struct Watched {
  cuuint64_t current = 0;
  cuuint64_t high = 0;

  void Add(std::size_t bytes) {
    current += bytes;
    high = std::max(high, current);
  }
};

}  // namespace

class GraphMemory {
 public:
  static GraphMemory& All() {
    static auto& memory = *new GraphMemory;
    return memory;
  }

  void Enter(const std::shared_ptr<GraphAllocation>& allocation) {
    std::lock_guard lock(mutex_);
    live_[allocation->address()] = allocation;
  }

  void Forget(const GraphAllocation& allocation) {
    std::lock_guard lock(mutex_);
    live_.erase(allocation.address());
    if (allocation.backed_) of_device_[allocation.device()].reserved.current -= allocation.bytes();
  }

  std::shared_ptr<GraphAllocation> Find(CUdeviceptr address) {
    std::lock_guard lock(mutex_);
    auto found = live_.find(address);
    return found == live_.end() ? nullptr : found->second.lock();
  }

  CUresult Launch(const GraphAllocations& allocated, const GraphAllocations& freed,
                  bool free_first) {
    std::lock_guard lock(mutex_);
    for (const auto& one : allocated) {
      if (!free_first && IsAllocated(*one)) return CUDA_ERROR_INVALID_VALUE;
    }
    for (const auto& one : freed) {
      if (!Holds(allocated, one) && !IsAllocated(*one)) return CUDA_ERROR_INVALID_VALUE;
    }
    for (const auto& one : allocated) Take(one);
    for (const auto& one : freed) Drop(*one);
    return CUDA_SUCCESS;
  }

  CUresult Free(const GraphAllocation& allocation) {
    std::lock_guard lock(mutex_);
    if (!IsAllocated(allocation)) return CUDA_ERROR_INVALID_VALUE;
    Drop(allocation);
    return CUDA_SUCCESS;
  }

  bool IsKnown(const GraphAllocation& one) {
    std::lock_guard lock(mutex_);
    return IsAllocated(one);
  }

  void Trim(int device) {
    GraphAllocations seen;  // outlives the lock: the last owner of one takes it too
    std::lock_guard lock(mutex_);
    for (auto& [address, weak] : live_) {
      std::shared_ptr<GraphAllocation> one = seen.emplace_back(weak.lock());
      if (!one || one->device() != device || !one->backed_ || IsAllocated(*one)) continue;
      one->backed_ = false;
      of_device_[device].reserved.current -= one->bytes();
    }
  }

  cuuint64_t* Attribute(int device, CUgraphMem_attribute attribute) {
    Usage& usage = of_device_[device];
    switch (attribute) {
      case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
        return &usage.used.current;
      case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        return &usage.used.high;
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        return &usage.reserved.current;
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        return &usage.reserved.high;
    }
    return nullptr;
  }

  std::mutex& mutex() { return mutex_; }

 private:
  struct Usage {
    Watched used;
    Watched reserved;
  };

  bool IsAllocated(const GraphAllocation& one) const { return allocated_.contains(one.address()); }

  void Take(const std::shared_ptr<GraphAllocation>& one) {
    Usage& usage = of_device_[one->device()];
    if (!std::exchange(one->backed_, true)) usage.reserved.Add(one->bytes());
    if (allocated_.emplace(one->address(), one).second) usage.used.Add(one->bytes());
  }

  void Drop(const GraphAllocation& one) {
    of_device_[one.device()].used.current -= one.bytes();
    allocated_.erase(one.address());
  }

  std::mutex mutex_;
  std::map<CUdeviceptr, std::weak_ptr<GraphAllocation>> live_;
  std::map<CUdeviceptr, std::shared_ptr<GraphAllocation>> allocated_;
  std::map<int, Usage> of_device_;
};

GraphAllocation::GraphAllocation(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params, CUdeviceptr address)
    : params_(params), access_(params.accessDescs, params.accessDescs + params.accessDescCount) {
  params_.dptr = address;
  params_.accessDescs = access_.empty() ? nullptr : access_.data();
}

CUresult GraphAllocation::Make(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params,
                               std::shared_ptr<GraphAllocation>* made) {
  if (!AreParams(params)) return CUDA_ERROR_INVALID_VALUE;
  Context& context = *PrimaryContext(params.poolProps.location.id);
  auto access = std::make_shared<DeviceAccess>();
  for (std::size_t i = 0; i < params.accessDescCount; ++i) {
    access->Give(params.accessDescs[i].location.id);
  }
  void* start = Memory().Allocate(MemoryKind::kGraph, params.bytesize, 0, context, access);
  if (start == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->reset(new GraphAllocation(params, reinterpret_cast<CUdeviceptr>(start)));
  GraphMemory::All().Enter(*made);
  return CUDA_SUCCESS;
}

GraphAllocation::~GraphAllocation() {
  GraphMemory::All().Forget(*this);
  Memory().Free(address(), [](MemoryKind kind) { return kind == MemoryKind::kGraph; });
}

std::optional<Allocation> FindKnown(CUdeviceptr address) {
  std::optional<Allocation> found = Memory().Find(address);
  if (!found || found->kind != MemoryKind::kGraph) return found;
  const auto node = FindGraphAllocation(found->base);
  return node != nullptr && GraphMemory::All().IsKnown(*node) ? found : std::nullopt;
}

std::shared_ptr<GraphAllocation> FindGraphAllocation(CUdeviceptr address) {
  return GraphMemory::All().Find(address);
}

CUresult LaunchGraphMemory(const GraphAllocations& allocated, const GraphAllocations& freed,
                           bool free_first) {
  return GraphMemory::All().Launch(allocated, freed, free_first);
}

CUresult FreeGraphMemory(const std::shared_ptr<GraphAllocation>& allocation) {
  return allocation ? GraphMemory::All().Free(*allocation) : CUDA_ERROR_INVALID_VALUE;
}

std::size_t ReservedForGraphs(int device) {
  std::lock_guard lock(GraphMemory::All().mutex());
  return *GraphMemory::All().Attribute(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
}

namespace calls {

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  GraphMemory::All().Trim(device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard lock(GraphMemory::All().mutex());
  const cuuint64_t* amount = GraphMemory::All().Attribute(device, attribute);
  if (amount == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<cuuint64_t*>(value) = *amount;
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  bool is_high = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ||
                 attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
  if (!is_high || value == nullptr || *static_cast<cuuint64_t*>(value) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::lock_guard lock(GraphMemory::All().mutex());
  *GraphMemory::All().Attribute(device, attribute) = 0;
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace hostcuda
