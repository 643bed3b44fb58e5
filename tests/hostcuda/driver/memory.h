// MemoryMap: every allocation and registered range that the driver knows. Device memory is host
// memory, so one address is both. Owner: the process; allocations end with their context. Threads:
// any. Failure: null or false; the caller knows which CUresult that is. Units: bytes.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "tests/hostcuda/driver/context.h"

namespace hostcuda {

enum class MemoryKind { kDevice, kPool, kGraph, kMapped, kManaged, kPinned, kRegistered };

// Memory of pools and graphs, and what is mapped to an address, belongs to a device.
inline bool EndsWithContext(MemoryKind kind) {
  return kind != MemoryKind::kPool && kind != MemoryKind::kGraph && kind != MemoryKind::kMapped;
}

// The devices whose kernels may use memory that belongs to no context, beside its own.
class DeviceAccess {
 public:
  void Give(int device) { mask_ |= std::uint64_t{1} << device; }
  void Take(int device) { mask_ &= ~(std::uint64_t{1} << device); }
  bool Any() const { return mask_ != 0; }
  bool Has(int device) const { return (mask_ >> device & 1) != 0; }

 private:
  std::atomic<std::uint64_t> mask_{0};  // there are at most 64 devices
};

struct Allocation {
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  unsigned flags = 0;
  std::uint64_t id = 0;
  Context* context = nullptr;  // the primary one of the device where none owns the memory
  int device = 0;
  std::shared_ptr<const DeviceAccess> access;  // null where a context owns the memory

  bool IsHost() const { return kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered; }
};

class MemoryMap {
 public:
  // Allocates and returns the address; null if the device is full.
  void* Allocate(MemoryKind kind, std::size_t bytes, unsigned flags, Context& context,
                 std::shared_ptr<const DeviceAccess> access = nullptr);
  // Enters memory of the program. False if part of it is known already.
  bool Register(void* start, std::size_t bytes, unsigned flags, Context& context);
  // Enters what virtual memory management mapped; the device memory behind it is counted apart.
  void EnterMapped(std::uintptr_t start, std::size_t bytes, Context& context,
                   std::shared_ptr<const DeviceAccess> access);
  // Counts device memory without an address. False if the device is full.
  bool TakeUp(int device, std::size_t bytes);
  void GiveBack(int device, std::size_t bytes);
  // Forgets (and frees) what starts at the address. False if nothing of a matching kind does.
  template <typename Predicate>
  bool Free(std::uintptr_t base, Predicate matches) {
    std::lock_guard lock(mutex_);
    auto found = allocations_.find(base);
    if (found == allocations_.end() || !matches(found->second.kind)) return false;
    Erase(found);
    return true;
  }
  // What ends with a context: all that was allocated in it, but not the memory of pools and graphs.
  void FreeAll(const Context& context);

  // What contains the address.
  std::optional<Allocation> Find(std::uintptr_t address) const;
  // Whether [address, address + bytes) lies inside one allocation, or in what is mapped in a row.
  bool Contains(std::uintptr_t address, std::size_t bytes) const;
  std::size_t FreeBytes(int device) const;

 private:
  using Allocations = std::map<std::uintptr_t, Allocation>;
  Allocations::iterator Erase(Allocations::iterator entry);
  void Enter(std::uintptr_t base, std::size_t bytes, MemoryKind kind, unsigned flags,
             Context& context, std::shared_ptr<const DeviceAccess> access);

  mutable std::mutex mutex_;
  Allocations allocations_;
  std::map<int, std::size_t> used_;  // device memory, by device
  std::uint64_t next_id_ = 1;
};

MemoryMap& Memory();

// CUDA_SUCCESS if the copy or fill can be carried out: known memory on the device side, no arrays,
// sizes that fit. Else INVALID_VALUE, or NOT_SUPPORTED for arrays.
CUresult CheckCopy(const CUDA_MEMCPY3D& copy);
CUresult CheckFill(const CUDA_MEMSET_NODE_PARAMS& fill);

// Carries it out on the calling thread. ILLEGAL_ADDRESS if device memory is gone by now.
CUresult RunCopy(const CUDA_MEMCPY3D& copy);
CUresult RunFill(const CUDA_MEMSET_NODE_PARAMS& fill);

}  // namespace hostcuda
