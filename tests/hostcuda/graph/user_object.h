// User objects: reference-counted resources that graphs keep alive. Owner: the references; the last
// one that goes runs the destructor, outside the graph lock. Threads: any. Failure: CUresult.
#pragma once

#include <cuda.h>

#include <atomic>
#include <map>

namespace hostcuda {

class UserObject {
 public:
  UserObject(void* resource, CUhostFn destroy, unsigned references)
      : resource_(resource), destroy_(destroy), references_(references) {}

  void Retain(unsigned count) { references_.fetch_add(count, std::memory_order_relaxed); }
  // Drops `count` references. The object is gone when none is left.
  void Release(unsigned count);

 private:
  void* resource_;
  CUhostFn destroy_;
  std::atomic<unsigned> references_;
};

// The references that one graph or one executable holds. Copies hold one reference to each object.
class UserObjectSet {
 public:
  UserObjectSet() = default;
  UserObjectSet(const UserObjectSet& other);
  UserObjectSet& operator=(const UserObjectSet&) = delete;
  ~UserObjectSet();

  // Takes over `count` references that the caller has.
  void Adopt(UserObject& object, unsigned count) { counts_[&object] += count; }
  // INVALID_VALUE if fewer than `count` are held.
  CUresult Release(UserObject& object, unsigned count);
  // Holds one more reference to each object of `other`: for a child graph's executable.
  void RetainAll(const UserObjectSet& other);

 private:
  std::map<UserObject*, unsigned> counts_;
};

}  // namespace hostcuda
