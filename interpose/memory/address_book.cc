#include "interpose/memory/address_book.h"

#include <mutex>

namespace graphtap::memory {
namespace {

// Device addresses lie in this range on every 64-bit system that CUDA supports. Words outside are
// no pointers and are not worth a question to the driver.
constexpr std::uint64_t kLowestAddress = 1ull << 32;
constexpr std::uint64_t kHighestAddress = 1ull << 49;

const Allocation* FindIn(const std::map<std::uint64_t, Allocation>& allocations,
                         std::uint64_t address) {
  const auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return nullptr;
  const Allocation& allocation = std::prev(next)->second;
  return allocation.Holds(address) ? &allocation : nullptr;
}

}  // namespace

void AddressBook::Add(const Allocation& allocation) noexcept {
  if (allocation.base == 0 || allocation.bytes == 0) return;
  try {
    const std::unique_lock lock(mutex_);
    allocations_[allocation.base] = allocation;
    changes_.fetch_add(1, std::memory_order_release);
  } catch (...) {
    // Out of memory: look-ups ask the driver instead.
  }
}

void AddressBook::RemoveAll(std::uint64_t address, std::uint64_t bytes) noexcept {
  NoteFree();
  const std::unique_lock lock(mutex_);
  allocations_.erase(allocations_.lower_bound(address), allocations_.lower_bound(address + bytes));
  changes_.fetch_add(1, std::memory_order_release);
}

std::optional<Allocation> AddressBook::Take(std::uint64_t base) noexcept {
  NoteFree();
  const std::unique_lock lock(mutex_);
  const auto found = allocations_.find(base);
  if (found == allocations_.end()) return std::nullopt;
  const Allocation allocation = found->second;
  allocations_.erase(found);
  changes_.fetch_add(1, std::memory_order_release);
  return allocation;
}

std::optional<Allocation> AddressBook::Find(std::uint64_t address) const noexcept {
  const std::shared_lock lock(mutex_);
  const auto* found = FindIn(allocations_, address);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

AddressBook::Range AddressBook::All() const noexcept {
  const std::shared_lock lock(mutex_);
  if (allocations_.empty()) return {};
  return {allocations_.begin()->first, allocations_.rbegin()->second.end()};
}

// What changes meanwhile is seen by the next look-up.
const Allocation* Lookup::FindInBook(std::uint64_t address) {
  const std::uint64_t changes = book_.Changes();
  if (changes != changes_) {
    changes_ = changes;
    all_ = book_.All();
    recent_ = {};
  }
  if (address < all_.begin || address >= all_.end) return nullptr;
  for (const Allocation& allocation : recent_) {
    if (allocation.Holds(address)) return &allocation;
  }
  const auto found = book_.Find(address);
  if (!found) return nullptr;
  Allocation& recent = recent_[next_recent_++ % recent_.size()];
  recent = *found;
  return &recent;
}

const Allocation* Lookup::Find(std::uint64_t address) {
  if (const auto* known = FindInBook(address)) return known;
  if (const auto* known = FindIn(more_, address)) return known;
  if (address < kLowestAddress || address >= kHighestAddress) return nullptr;
  if (unknown_.contains(address)) return nullptr;
  const auto answer = AskDriver(address);
  if (!answer) {
    unknown_.insert(address);
    return nullptr;
  }
  Allocation& known = more_[answer->base];
  known = *answer;
  return &known;
}

std::optional<Allocation> Lookup::AskDriver(std::uint64_t address) const noexcept {
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  const auto ask = book_.calls_.address_range;
  if (ask == nullptr || ask(&base, &bytes, address) != CUDA_SUCCESS) return std::nullopt;
  return Allocation{base, bytes};
}

}  // namespace graphtap::memory
