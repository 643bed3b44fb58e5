#include "tests/hostcuda/graph/graph_lock.h"

#include <mutex>
#include <utility>
#include <vector>

namespace hostcuda {
namespace {

// Never destroyed: a stream's worker may still drop its last references while the process exits.
std::mutex& Mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

// What the holder of the lock has put off; under the lock.
std::vector<std::function<void()>>& PutOff() {
  static auto* actions = new std::vector<std::function<void()>>;
  return *actions;
}

thread_local bool held = false;

}  // namespace

GraphLock::GraphLock() {
  Mutex().lock();
  held = true;
}

GraphLock::~GraphLock() {
  std::vector<std::function<void()>> actions;
  actions.swap(PutOff());
  held = false;
  Mutex().unlock();
  for (auto& action : actions) action();
}

void RunAfterGraphLock(std::function<void()> action) {
  if (held) {
    PutOff().push_back(std::move(action));
  } else {
    action();
  }
}

}  // namespace hostcuda
