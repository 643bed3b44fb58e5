// Share: how often something that takes long is done on a thread of the job: each time is followed
// by a pause of a hundred times its length. Owner: whoever does it. Threads: any. Failure: none.
// Units: ns.
#pragma once

#include <atomic>
#include <cstdint>

#include "interpose/session/session.h"

namespace graphtap::python {

class Share {
 public:
  bool TooEarly() const noexcept { return session::Now() < next_ns_.load(); }

  // It was done now, since `begin_ns`.
  void Done(std::uint64_t begin_ns) noexcept {
    constexpr std::uint64_t kParts = 100;  // of the job's time, one of them
    const std::uint64_t end_ns = session::Now();
    next_ns_.store(end_ns + kParts * (end_ns - begin_ns));
  }

 private:
  std::atomic<std::uint64_t> next_ns_{0};  // not before
};

}  // namespace graphtap::python
