// Frame: one place in Python code. Owner: the stack. Threads: read-only, any. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphtap::model {

struct Frame {
  std::string file, function;
  std::uint32_t line = 0;  // 0: not known

  std::string Text() const;  // "/home/u/train.py:12 Net.forward"
  // Of a package that Python installed: PyTorch, or Triton, which launches for it.
  bool IsOfFramework() const;
  // Of a part of PyTorch: "_dynamo/", "autograd/".
  bool IsOfTorch(std::string_view part) const;
};

}  // namespace graphtap::model
