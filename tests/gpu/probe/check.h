// Check: runs the probe kernels of one image over the cases and compares what they leave with
// proto/digest.h. Owner: main. Threads: one. Failure: each wrong result is a line on stderr and is
// counted. Units: errors in parts of the root mean square.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tests/gpu/probe/cases.h"
#include "tests/gpu/probe/gpu.h"

namespace probe_test {

struct CheckResult {
  std::string image;
  std::size_t cases = 0, probes = 0, wrong = 0;
  double mean_error = 0, l2_error = 0;  // the greatest
  double variance_error = 0;            // the greatest, in parts of the mean square
};

CheckResult CheckImage(const Gpu& gpu, std::span<const std::byte> image, std::string name,
                       const Limits& limits);

}  // namespace probe_test
