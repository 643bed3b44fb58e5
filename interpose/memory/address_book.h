// Address book: which allocation an address belongs to. Filled by the hooked allocation calls; an
// address that it does not know is asked of the driver (memory that came another way: IPC,
// graphics). Owner: the observer. Threads: any. Failure: an unknown address is nullopt; an entry
// that cannot be kept (out of memory) is as if never made. Units: bytes.
#pragma once

#include <array>
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
  bool Holds(std::uint64_t address) const { return address >= base && address < end(); }
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

  // From the first byte of all that it has to the last; and grows whenever that or more changes.
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  Range All() const noexcept;
  std::uint64_t Changes() const noexcept { return changes_.load(std::memory_order_acquire); }

  // Grows whenever memory may have gone.
  std::uint64_t Frees() const noexcept { return frees_.load(std::memory_order_acquire); }
  // Before memory goes and after it has gone.
  void NoteFree() noexcept { frees_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  friend class Lookup;
  const driver::Calls& calls_;
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Allocation> allocations_;
  std::atomic<std::uint64_t> changes_{1};
  std::atomic<std::uint64_t> frees_{0};
};

// Many look-ups in a row, as when a graph is read: remembers what the driver said of addresses that
// the book does not know, and, while the book stays as it is, what that said last: most pointers of
// a graph lie in few allocations, and most words that are no pointers far from all of them. One
// thread, short-lived.
class Lookup {
 public:
  explicit Lookup(const AddressBook& book) : book_(book) {}

  // The allocation that holds the address, until the next call; nullptr if it is no address of
  // device or pinned memory.
  const Allocation* Find(std::uint64_t address);

  // Memory that exists while the graph runs alone; of several at one address the largest.
  void AddOfGraph(const Allocation& allocation) {
    Allocation& known = more_[allocation.base];
    if (known.bytes <= allocation.bytes) known = allocation;
  }

 private:
  const Allocation* FindInBook(std::uint64_t address);
  std::optional<Allocation> AskDriver(std::uint64_t address) const noexcept;

  const AddressBook& book_;
  std::uint64_t changes_ = 0;  // of the book, when the next three were right
  AddressBook::Range all_;
  std::array<Allocation, 8> recent_{};
  std::size_t next_recent_ = 0;
  std::map<std::uint64_t, Allocation> more_;
  std::unordered_set<std::uint64_t> unknown_;
};

}  // namespace graphtap::memory
