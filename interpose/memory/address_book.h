// Address book: which allocation an address belongs to. Filled by the hooked allocation calls; an
// address that it does not know is asked of the driver (memory that came another way: IPC,
// graphics). Owner: the observer. Threads: any. Failure: an unknown address is nullopt; an entry
// that cannot be kept (out of memory) is as if never made. Units: bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <unordered_set>

#include "interpose/driver/driver.h"

namespace graphtap::memory {

struct Allocation {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  bool host = false;
  bool mapping = false;  // a piece of reserved addresses: what lies in it may go on in the next

  std::uint64_t end() const { return base + bytes; }
};

class AddressBook {
 public:
  explicit AddressBook(const driver::Calls& calls) : calls_(calls) {}

  void Add(const Allocation& allocation) noexcept;

  // Takes the allocation at `base` out. Called before the real free, so that the address cannot be
  // given to another thread while it still stands here; Add() it again if the free fails.
  std::optional<Allocation> Take(std::uint64_t base) noexcept;

  // Takes out all that begin in [address, address + bytes).
  void RemoveAll(std::uint64_t address, std::uint64_t bytes) noexcept;

  std::optional<Allocation> Find(std::uint64_t address) const noexcept;

  // Grows whenever memory may have gone.
  std::uint64_t Frees() const noexcept { return frees_.load(std::memory_order_acquire); }
  // Before memory goes and after it has gone.
  void NoteFree() noexcept { frees_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  friend class Lookup;
  const driver::Calls& calls_;
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Allocation> allocations_;
  std::atomic<std::uint64_t> frees_{0};
};

// Many look-ups in a row, as when a graph is read: remembers what the driver said of addresses that
// the book does not know. One thread, short-lived.
class Lookup {
 public:
  explicit Lookup(const AddressBook& book) : book_(book) {}

  // The allocation that holds the address; nullopt if it is no address of device or pinned memory.
  std::optional<Allocation> Find(std::uint64_t address);

  // Memory that exists while the graph runs alone; of several at one address the largest.
  void AddOfGraph(const Allocation& allocation) {
    Allocation& known = more_[allocation.base];
    if (known.bytes <= allocation.bytes) known = allocation;
  }

 private:
  std::optional<Allocation> AskDriver(std::uint64_t address) const noexcept;

  const AddressBook& book_;
  std::map<std::uint64_t, Allocation> more_;
  std::unordered_set<std::uint64_t> unknown_;
};

}  // namespace graphtap::memory
