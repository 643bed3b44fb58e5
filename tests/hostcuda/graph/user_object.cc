#include "tests/hostcuda/graph/user_object.h"

#include "tests/hostcuda/graph/graph_lock.h"

namespace hostcuda {

void UserObject::Release(unsigned count) {
  if (references_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
  RunAfterGraphLock([this] {
    destroy_(resource_);
    delete this;
  });
}

UserObjectSet::UserObjectSet(const UserObjectSet& other) { RetainAll(other); }

UserObjectSet::~UserObjectSet() {
  for (auto& [object, count] : counts_) object->Release(count);
}

CUresult UserObjectSet::Release(UserObject& object, unsigned count) {
  auto held = counts_.find(&object);
  if (held == counts_.end() || held->second < count) return CUDA_ERROR_INVALID_VALUE;
  held->second -= count;
  if (held->second == 0) counts_.erase(held);
  object.Release(count);
  return CUDA_SUCCESS;
}

void UserObjectSet::RetainAll(const UserObjectSet& other) {
  for (auto& [object, count] : other.counts_) {
    object->Retain(1);
    ++counts_[object];
  }
}

}  // namespace hostcuda
