// Compiled code: what Dynamo, the part of torch.compile that makes code of functions, keeps of it:
// the code that it made, what it calls that, "0/1", and of what it made it. Only PyTorch's own
// function is called. Owner: Dynamo; references keep it. Threads: one that holds the GIL. Failure:
// nothing is known; errors of the interpreter are cleared. No units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interpose/python/reference.h"

namespace graphtap::python {

struct CompiledCode {
  Reference original, made;  // code objects
  std::string id;
};

// Of a code object that Dynamo made and still has; nullopt: it is none. `code` is compared, not
// read.
std::optional<std::string> CompileIdOf(const Interpreter& interpreter, const void* code);

// All that there is.
std::vector<CompiledCode> AllCompiledCode(const Interpreter& interpreter);

}  // namespace graphtap::python
