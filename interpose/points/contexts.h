// Contexts: one context of each device that the job uses, so that the device can be asked by any
// thread. Only contexts that were current on a thread of the job are known: none is made, kept or
// left current. Owner: Points. Threads: any; a context does not end while it is asked, because its
// end waits for the lock. Failure: a device that is not known is left out. No units.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

#include "interpose/driver/driver.h"
#include "interpose/probe/entered.h"

namespace graphtap::points {

class Contexts {
 public:
  explicit Contexts(const driver::Calls& calls) noexcept
      : calls_(calls), generation_(NextGeneration()) {}

  // The current one of this thread; false: it has none. Cheap where nothing has changed.
  bool NoteCurrent();

  // Before they may end.
  void Forget(CUcontext context) noexcept;
  void ForgetDevice(CUdevice device) noexcept;

  // Calls ask(device) with a context of each known device current.
  template <typename Ask>
  void ForEach(Ask ask) {
    const std::lock_guard lock(mutex_);
    for (const auto& [device, context] : devices_) {
      const probe::Entered entered(calls_, context);
      if (entered) ask(device);
    }
  }

 private:
  static std::uint64_t NextGeneration() noexcept;

  const driver::Calls& calls_;
  std::atomic<std::uint64_t> generation_;  // another one when a context is forgotten
  std::mutex mutex_;
  std::map<CUdevice, CUcontext> devices_;
};

}  // namespace graphtap::points
