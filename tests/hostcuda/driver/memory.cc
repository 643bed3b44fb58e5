#include "tests/hostcuda/driver/memory.h"

#include <cstdlib>
#include <new>
#include <utility>

#include "tests/hostcuda/driver/devices.h"

namespace hostcuda {
namespace {

constexpr std::align_val_t kAlignment{512};

bool CountsAsDeviceMemory(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kPool || kind == MemoryKind::kManaged;
}

}  // namespace

MemoryMap& Memory() {
  static auto& memory = *new MemoryMap;
  return memory;
}

void MemoryMap::Enter(std::uintptr_t base, std::size_t bytes, MemoryKind kind, unsigned flags,
                      Context& context, std::shared_ptr<const DeviceAccess> access) {
  allocations_[base] = {base,       bytes,    kind,           flags,
                        next_id_++, &context, context.device, std::move(access)};
  if (CountsAsDeviceMemory(kind)) used_[context.device] += bytes;
}

void* MemoryMap::Allocate(MemoryKind kind, std::size_t bytes, unsigned flags, Context& context,
                          std::shared_ptr<const DeviceAccess> access) {
  std::lock_guard lock(mutex_);
  if (CountsAsDeviceMemory(kind) && bytes > kDeviceMemoryBytes - used_[context.device]) {
    return nullptr;
  }
  void* start = ::operator new(bytes, kAlignment, std::nothrow);
  if (start != nullptr) {
    Enter(reinterpret_cast<std::uintptr_t>(start), bytes, kind, flags, context, std::move(access));
  }
  return start;
}

void MemoryMap::EnterMapped(std::uintptr_t start, std::size_t bytes, Context& context,
                            std::shared_ptr<const DeviceAccess> access) {
  std::lock_guard lock(mutex_);
  Enter(start, bytes, MemoryKind::kMapped, 0, context, std::move(access));
}

bool MemoryMap::TakeUp(int device, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  if (bytes > kDeviceMemoryBytes - used_[device]) return false;
  used_[device] += bytes;
  return true;
}

void MemoryMap::GiveBack(int device, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  used_[device] -= bytes;
}

bool MemoryMap::Register(void* start, std::size_t bytes, unsigned flags, Context& context) {
  std::lock_guard lock(mutex_);
  auto base = reinterpret_cast<std::uintptr_t>(start);
  auto next = allocations_.lower_bound(base + bytes);
  if (next != allocations_.begin()) {
    const Allocation& before = std::prev(next)->second;
    if (before.base + before.bytes > base) return false;
  }
  Enter(base, bytes, MemoryKind::kRegistered, flags, context, nullptr);
  return true;
}

MemoryMap::Allocations::iterator MemoryMap::Erase(Allocations::iterator entry) {
  const Allocation& gone = entry->second;
  if (CountsAsDeviceMemory(gone.kind)) used_[gone.device] -= gone.bytes;
  if (gone.kind != MemoryKind::kRegistered && gone.kind != MemoryKind::kMapped) {
    ::operator delete(reinterpret_cast<void*>(gone.base), kAlignment);
  }
  return allocations_.erase(entry);
}

void MemoryMap::FreeAll(const Context& context) {
  std::lock_guard lock(mutex_);
  for (auto entry = allocations_.begin(); entry != allocations_.end();) {
    bool ends = entry->second.context == &context && EndsWithContext(entry->second.kind);
    entry = ends ? Erase(entry) : std::next(entry);
  }
}

std::optional<Allocation> MemoryMap::Find(std::uintptr_t address) const {
  std::lock_guard lock(mutex_);
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return std::nullopt;
  const Allocation& before = std::prev(next)->second;
  if (address - before.base >= before.bytes) return std::nullopt;
  return before;
}

bool MemoryMap::Contains(std::uintptr_t address, std::size_t bytes) const {
  for (;;) {
    std::optional<Allocation> allocation = Find(address);
    if (!allocation) return false;
    std::size_t behind = allocation->bytes - (address - allocation->base);
    if (bytes <= behind) return true;
    if (allocation->kind != MemoryKind::kMapped) return false;
    address += behind;
    bytes -= behind;
  }
}

std::size_t MemoryMap::FreeBytes(int device) const {
  std::lock_guard lock(mutex_);
  auto used = used_.find(device);
  return kDeviceMemoryBytes - (used == used_.end() ? 0 : used->second);
}

}  // namespace hostcuda
