#include "interpose/memory/address_book.h"

#include <mutex>

namespace graphtap::memory {
namespace {

// Device addresses lie in this range on every 64-bit system that CUDA supports. Words outside are
// no pointers and are not worth a question to the driver.
constexpr std::uint64_t kLowestAddress = 1ull << 32;
constexpr std::uint64_t kHighestAddress = 1ull << 49;

std::optional<Allocation> FindIn(const std::map<std::uint64_t, Allocation>& allocations,
                                 std::uint64_t address) {
  const auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(next)->second;
  return address < allocation.end() ? std::optional(allocation) : std::nullopt;
}

}  // namespace

void AddressBook::Add(const Allocation& allocation) noexcept {
  if (allocation.base == 0 || allocation.bytes == 0) return;
  try {
    const std::unique_lock lock(mutex_);
    allocations_[allocation.base] = allocation;
  } catch (...) {
    // Out of memory: look-ups ask the driver instead.
  }
}

void AddressBook::RemoveAll(std::uint64_t address, std::uint64_t bytes) noexcept {
  NoteFree();
  const std::unique_lock lock(mutex_);
  allocations_.erase(allocations_.lower_bound(address), allocations_.lower_bound(address + bytes));
}

std::optional<Allocation> AddressBook::Take(std::uint64_t base) noexcept {
  NoteFree();
  const std::unique_lock lock(mutex_);
  const auto found = allocations_.find(base);
  if (found == allocations_.end()) return std::nullopt;
  const Allocation allocation = found->second;
  allocations_.erase(found);
  return allocation;
}

std::optional<Allocation> AddressBook::Find(std::uint64_t address) const noexcept {
  const std::shared_lock lock(mutex_);
  return FindIn(allocations_, address);
}

std::optional<Allocation> Lookup::Find(std::uint64_t address) {
  if (auto known = book_.Find(address)) return known;
  if (auto known = FindIn(more_, address)) return known;
  if (address < kLowestAddress || address >= kHighestAddress) return std::nullopt;
  if (unknown_.contains(address)) return std::nullopt;
  const auto answer = AskDriver(address);
  if (answer) {
    more_[answer->base] = *answer;
  } else {
    unknown_.insert(address);
  }
  return answer;
}

std::optional<Allocation> Lookup::AskDriver(std::uint64_t address) const noexcept {
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  const auto ask = book_.calls_.address_range;
  if (ask == nullptr || ask(&base, &bytes, address) != CUDA_SUCCESS) return std::nullopt;
  return Allocation{base, bytes};
}

}  // namespace graphtap::memory
