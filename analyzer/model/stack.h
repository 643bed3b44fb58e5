// Stack: where the program was in its Python code when an operator was called or a node launched.
// Owner: the Process. Threads: read-only, any. Failure: none.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/model/frame.h"
#include "analyzer/model/region.h"
#include "proto/trace.pb.h"

namespace graphtap::model {

struct Stack {
  graphtap::Stack record;
  std::vector<Frame> frames;     // the innermost first
  std::optional<Region> region;  // where compiled code was running

  // The innermost frame that is not of the framework itself, if there is one, else the innermost;
  // nullptr: there is none at all.
  const Frame* Place() const;
};

}  // namespace graphtap::model
