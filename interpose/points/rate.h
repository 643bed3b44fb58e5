// Rate: how often something may happen: so many times a second on average, and at most so many at
// once. Owner: the caller, under its lock. Failure: none. Units: nanoseconds of any one clock.
#pragma once

#include <cstdint>

namespace graphtap::points {

class Rate {
 public:
  explicit Rate(std::uint32_t per_second) : most_(per_second), left_(per_second) {}

  // False: not now.
  bool Take(std::uint64_t now_ns) noexcept;

 private:
  const double most_;
  double left_;
  std::uint64_t last_ns_ = 0;  // 0: nothing was asked yet
};

}  // namespace graphtap::points
