// Region: the code that torch.compile made and that launched a node, told from a stack: Inductor's
// output, which lies in a file named by a hash of what it says, so that the name is the same in two
// runs. Owner: who asks; it points into the frames. Threads: any. Failure: nullopt: no frame is of
// such a file. No units.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analyzer/model/frame.h"

namespace graphtap::model {

struct Region {
  std::string name;             // "c2qv…", of the file
  const Frame* line = nullptr;  // in that file: the launch
  // What was compiled, where it begins; behind a graph break, a part of it. nullptr: not known, or
  // not by torch.compile.
  const Frame* function = nullptr;
  bool in_function = false;       // it is in the stack; a backward pass runs elsewhere
  const Frame* caller = nullptr;  // the program's own line that called it; nullptr: not known
};

// `frames`: the innermost first.
std::optional<Region> RegionOf(std::span<const Frame> frames);

}  // namespace graphtap::model
