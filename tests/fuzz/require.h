// Require: a property that a fuzzed input broke is named on stderr, and the program aborts, which
// libFuzzer takes for a finding. Any thread. No units.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace graphtap::fuzz {

inline void Require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

}  // namespace graphtap::fuzz
