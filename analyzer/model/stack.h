// Stack: where the program was in its Python code when an operator was called.
// Owner: the Process. Threads: read-only, any. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/trace.pb.h"

namespace graphtap::model {

struct Frame {
  std::string file, function;
  std::uint32_t line = 0;  // 0: not known

  std::string Text() const;  // "/home/u/train.py:12 Net.forward"
};

struct Stack {
  graphtap::Stack record;
  std::vector<Frame> frames;  // the innermost first

  // The innermost frame that is not of the framework itself, if there is one, else the innermost;
  // nullptr: there is none at all.
  const Frame* Place() const;
};

}  // namespace graphtap::model
