// Properties that hold for every text that somebody may give as a specification, a list of replays,
// a pattern or a name: what the fuzzer and the corpus test check.
// Pure, any thread. Failure: a property that does not hold is named on stderr, and the program
// aborts, as libFuzzer wants it. No units.
#pragma once

#include <string_view>

namespace graphtap::fuzz {

// Which parts of the input were accepted, with the words of this release.
struct Accepted {
  bool specification = false;
  bool replays = false;
  bool points = false;
  bool match = false;
};

// Five parts, each on a line of its own, the last to the end: a specification, a list of replays, a
// list of points, a glob, and a text that is matched and read as the name of a kernel.
Accepted CheckSpecification(std::string_view input);

}  // namespace graphtap::fuzz
