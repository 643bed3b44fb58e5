#include "interpose/points/rate.h"

#include <algorithm>

namespace graphtap::points {

// A time before the last one, as threads may have it, adds nothing.
bool Rate::Take(std::uint64_t now_ns) noexcept {
  if (last_ns_ != 0 && now_ns > last_ns_) {
    left_ = std::min(most_, left_ + static_cast<double>(now_ns - last_ns_) * 1e-9 * most_);
  }
  last_ns_ = std::max(last_ns_, now_ns);
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

}  // namespace graphtap::points
