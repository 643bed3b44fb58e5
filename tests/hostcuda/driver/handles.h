// HandleSet: the live objects of one kind. A handle of the driver is the address of one of our
// objects; it is valid exactly while the set holds it, so a stale handle is refused, not followed.
// Owner: one set a kind, for the life of the process. Threads: any. Failure: null for an unknown
// handle. No units.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hostcuda {

template <typename Object>
class HandleSet {
 public:
  void Add(std::shared_ptr<Object> object) {
    std::lock_guard lock(mutex_);
    const void* handle = object.get();
    objects_.emplace(handle, std::move(object));
  }

  // The live object that `handle` names, else null.
  std::shared_ptr<Object> Find(const void* handle) const {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  // Takes the object out: its handle is stale from now on. Null if it was unknown.
  std::shared_ptr<Object> Remove(const void* handle) {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  // Takes out all objects for which `matches` holds and returns them.
  template <typename Predicate>
  std::vector<std::shared_ptr<Object>> RemoveIf(Predicate matches) {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> removed;
    for (auto entry = objects_.begin(); entry != objects_.end();) {
      if (matches(*entry->second)) {
        removed.push_back(std::move(entry->second));
        entry = objects_.erase(entry);
      } else {
        ++entry;
      }
    }
    return removed;
  }

  // Calls `visit` for each live object, under the set's lock.
  template <typename Visitor>
  void ForEach(Visitor visit) const {
    std::lock_guard lock(mutex_);
    for (const auto& [handle, object] : objects_) visit(*object);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<Object>> objects_;
};

// The one set of a kind. Never destroyed: worker threads may outlive static destruction.
template <typename Object>
HandleSet<Object>& Live() {
  static auto& set = *new HandleSet<Object>;
  return set;
}

}  // namespace hostcuda
