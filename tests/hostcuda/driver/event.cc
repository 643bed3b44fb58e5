#include "tests/hostcuda/driver/event.h"

#include <utility>

namespace hostcuda {

CompletionPtr Event::BeginRecord() {
  auto record = std::make_shared<Completion>();
  SetRecord(record);
  return record;
}

void Event::SetRecord(CompletionPtr record) {
  std::lock_guard lock(mutex_);
  latest_ = std::move(record);
}

CompletionPtr Event::LatestRecord() const {
  std::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace hostcuda
