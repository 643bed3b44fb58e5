// Virtual memory management: address ranges, physical memory, and mappings of one to the other. A
// range is reserved in the process without access, physical memory is a memory file, and access is
// given as the host's, so that what no device was given access to faults.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/devices.h"
#include "tests/hostcuda/driver/memory.h"

namespace hostcuda {
namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;

bool IsOnDevice(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && IsDevice(location.id);
}

bool AreProps(const CUmemAllocationProp* prop) {
  return prop != nullptr && prop->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
         IsOnDevice(prop->location);
}

bool IsMultiple(std::size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

struct Physical {
  Physical(int descriptor, std::size_t size, const CUmemAllocationProp& properties, bool is_import)
      : file(descriptor), bytes(size), prop(properties), imported(is_import) {}
  ~Physical() {
    close(file);
    if (!imported) Memory().GiveBack(prop.location.id, bytes);
  }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  CUmemGenericAllocationHandle Handle() const { return reinterpret_cast<std::uintptr_t>(this); }

  const int file;
  const std::size_t bytes;
  const CUmemAllocationProp prop;
  const bool imported;   // somebody else's device memory
  unsigned handles = 1;  // under the lock of Ranges
};

std::shared_ptr<Physical> Find(CUmemGenericAllocationHandle handle) {
  return Live<Physical>().Find(reinterpret_cast<void*>(handle));
}

struct Mapping {
  std::size_t bytes;
  std::shared_ptr<Physical> physical;
  std::shared_ptr<DeviceAccess> access;
};

class Ranges {
 public:
  static Ranges& All() {
    static auto& ranges = *new Ranges;
    return ranges;
  }

  CUresult Reserve(CUdeviceptr* start, std::size_t bytes, std::size_t alignment);
  CUresult Free(CUdeviceptr start, std::size_t bytes);
  CUresult Map(CUdeviceptr start, std::size_t bytes, std::size_t offset,
               const std::shared_ptr<Physical>& physical);
  CUresult Unmap(CUdeviceptr start, std::size_t bytes);
  CUresult SetAccess(CUdeviceptr start, std::size_t bytes, const CUmemAccessDesc* descriptions,
                     std::size_t count);
  // What the address is mapped to; empty if to nothing.
  Mapping At(CUdeviceptr address);
  void AddHandle(Physical& physical) {
    std::lock_guard lock(mutex_);
    ++physical.handles;
  }
  bool DropHandle(Physical& physical) {
    std::lock_guard lock(mutex_);
    return --physical.handles == 0;
  }

 private:
  using Mappings = std::map<CUdeviceptr, Mapping>;

  // All mappings of the range if they fill it, else none.
  std::vector<Mappings::iterator> Filling(CUdeviceptr start, std::size_t bytes);
  bool IsReserved(CUdeviceptr start, std::size_t bytes) const;

  std::mutex mutex_;
  std::map<CUdeviceptr, std::size_t> reserved_;
  Mappings mappings_;
};

void* Pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult Ranges::Reserve(CUdeviceptr* start, std::size_t bytes, std::size_t alignment) {
  alignment = std::max(alignment, kGranularity);
  void* mapped = mmap(nullptr, bytes + alignment, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  auto begin = reinterpret_cast<CUdeviceptr>(mapped);
  CUdeviceptr aligned = (begin + alignment - 1) / alignment * alignment;
  if (aligned != begin) munmap(mapped, aligned - begin);
  munmap(Pointer(aligned + bytes), begin + alignment - aligned);
  std::lock_guard lock(mutex_);
  reserved_[aligned] = bytes;
  *start = aligned;
  return CUDA_SUCCESS;
}

CUresult Ranges::Free(CUdeviceptr start, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  auto range = reserved_.find(start);
  if (range == reserved_.end() || range->second != bytes) return CUDA_ERROR_INVALID_VALUE;
  auto inside = mappings_.lower_bound(start);
  if (inside != mappings_.end() && inside->first < start + bytes) return CUDA_ERROR_INVALID_VALUE;
  reserved_.erase(range);
  munmap(Pointer(start), bytes);
  return CUDA_SUCCESS;
}

bool Ranges::IsReserved(CUdeviceptr start, std::size_t bytes) const {
  auto next = reserved_.upper_bound(start);
  if (next == reserved_.begin()) return false;
  auto range = std::prev(next);
  return start + bytes <= range->first + range->second;
}

CUresult Ranges::Map(CUdeviceptr start, std::size_t bytes, std::size_t offset,
                     const std::shared_ptr<Physical>& physical) {
  std::lock_guard lock(mutex_);
  auto next = mappings_.lower_bound(start);
  bool taken = next != mappings_.end() && next->first < start + bytes;
  if (next != mappings_.begin()) {
    auto before = std::prev(next);
    taken |= before->first + before->second.bytes > start;
  }
  if (taken || !IsReserved(start, bytes)) return CUDA_ERROR_INVALID_VALUE;
  void* mapped = mmap(Pointer(start), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->file,
                      static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  auto access = std::make_shared<DeviceAccess>();
  mappings_[start] = {bytes, physical, access};
  Memory().EnterMapped(start, bytes, *PrimaryContext(physical->prop.location.id), access);
  return CUDA_SUCCESS;
}

std::vector<Ranges::Mappings::iterator> Ranges::Filling(CUdeviceptr start, std::size_t bytes) {
  std::vector<Mappings::iterator> filling;
  CUdeviceptr at = start;
  for (auto one = mappings_.find(start); at < start + bytes; ++one) {
    if (one == mappings_.end() || one->first != at) return {};
    filling.push_back(one);
    at += one->second.bytes;
  }
  return at == start + bytes ? filling : std::vector<Mappings::iterator>{};
}

CUresult Ranges::Unmap(CUdeviceptr start, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  std::vector<Mappings::iterator> filling = Filling(start, bytes);
  if (filling.empty()) return IsReserved(start, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  for (auto one : filling) {
    Memory().Free(one->first, [](MemoryKind kind) { return kind == MemoryKind::kMapped; });
    mappings_.erase(one);
  }
  void* unmapped = mmap(Pointer(start), bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return unmapped == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult Ranges::SetAccess(CUdeviceptr start, std::size_t bytes,
                           const CUmemAccessDesc* descriptions, std::size_t count) {
  std::lock_guard lock(mutex_);
  std::vector<Mappings::iterator> filling = Filling(start, bytes);
  if (filling.empty()) return CUDA_ERROR_INVALID_VALUE;
  for (auto one : filling) {
    DeviceAccess& access = *one->second.access;
    for (std::size_t i = 0; i < count; ++i) {
      bool given = descriptions[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
      int device = descriptions[i].location.id;
      given ? access.Give(device) : access.Take(device);
    }
    int protection = access.Any() ? PROT_READ | PROT_WRITE : PROT_NONE;
    mprotect(Pointer(one->first), one->second.bytes, protection);
  }
  return CUDA_SUCCESS;
}

Mapping Ranges::At(CUdeviceptr address) {
  std::lock_guard lock(mutex_);
  auto next = mappings_.upper_bound(address);
  if (next == mappings_.begin()) return {};
  auto found = std::prev(next);
  return address < found->first + found->second.bytes ? found->second : Mapping{};
}

CUmemGenericAllocationHandle Enter(std::shared_ptr<Physical> made) {
  CUmemGenericAllocationHandle handle = made->Handle();
  Live<Physical>().Add(std::move(made));
  return handle;
}

}  // namespace

namespace calls {

CUresult cuMemGetAllocationGranularity(std::size_t* granularity, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags) {
  if (granularity == nullptr || !AreProps(prop)) return CUDA_ERROR_INVALID_VALUE;
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* start, std::size_t bytes, std::size_t alignment,
                             CUdeviceptr, unsigned long long flags) {
  bool aligned = (alignment & (alignment - 1)) == 0;
  if (start == nullptr || !IsMultiple(bytes) || !aligned || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return Ranges::All().Reserve(start, bytes, alignment);
}

CUresult cuMemAddressFree(CUdeviceptr start, std::size_t bytes) {
  return Ranges::All().Free(start, bytes);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* prop, unsigned long long flags) {
  if (handle == nullptr || !IsMultiple(bytes) || !AreProps(prop) || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!Memory().TakeUp(prop->location.id, bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  int file = memfd_create("hostcuda", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0) {
    *handle = Enter(std::make_shared<Physical>(file, bytes, *prop, false));
    return CUDA_SUCCESS;
  }
  if (file >= 0) close(file);
  Memory().GiveBack(prop->location.id, bytes);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  std::shared_ptr<Physical> physical = Find(handle);
  if (!physical) return CUDA_ERROR_INVALID_VALUE;
  if (Ranges::All().DropHandle(*physical)) Live<Physical>().Remove(physical.get());
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  Mapping mapping = Ranges::All().At(reinterpret_cast<CUdeviceptr>(address));
  if (handle == nullptr || !mapping.physical) return CUDA_ERROR_INVALID_VALUE;
  Ranges::All().AddHandle(*mapping.physical);
  Live<Physical>().Add(mapping.physical);
  *handle = mapping.physical->Handle();
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop,
                                                CUmemGenericAllocationHandle handle) {
  std::shared_ptr<Physical> physical = Find(handle);
  if (prop == nullptr || !physical) return CUDA_ERROR_INVALID_VALUE;
  *prop = physical->prop;
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr start, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  std::shared_ptr<Physical> physical = Find(handle);
  if (!physical || !IsMultiple(bytes) || start % kGranularity != 0 || flags != 0 ||
      offset % kGranularity != 0 || offset + bytes > physical->bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return Ranges::All().Map(start, bytes, offset, physical);
}

CUresult cuMemUnmap(CUdeviceptr start, std::size_t bytes) {
  return Ranges::All().Unmap(start, bytes);
}

CUresult cuMemSetAccess(CUdeviceptr start, std::size_t bytes, const CUmemAccessDesc* descriptions,
                        std::size_t count) {
  if (descriptions == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    if (!IsOnDevice(descriptions[i].location)) return CUDA_ERROR_INVALID_DEVICE;
  }
  return Ranges::All().SetAccess(start, bytes, descriptions, count);
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                        CUdeviceptr address) {
  Mapping mapping = Ranges::All().At(address);
  if (flags == nullptr || location == nullptr || !IsOnDevice(*location) || !mapping.access) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = mapping.access->Has(location->id) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                             : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

// As file descriptors alone.
CUresult cuMemExportToShareableHandle(void* shared, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  std::shared_ptr<Physical> physical = Find(handle);
  if (shared == nullptr || !physical || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  if ((physical->prop.requestedHandleTypes & type) == 0) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<int*>(shared) = dup(physical->file);
  return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shared,
                                        CUmemAllocationHandleType type) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  int file = dup(static_cast<int>(reinterpret_cast<std::intptr_t>(shared)));
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) return CUDA_ERROR_INVALID_VALUE;
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  auto bytes = static_cast<std::size_t>(status.st_size);
  *handle = Enter(std::make_shared<Physical>(file, bytes, prop, true));
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace hostcuda
