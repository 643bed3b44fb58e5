// Self-test: whether a layout is that of the interpreter in this process: the calling thread's
// frames, read by it, against what the interpreter itself says. Owner: nothing is kept. Threads:
// one that holds the GIL, at a moment when Python code could run. Failure: kNotNow: there is
// nothing to compare. No units.
#pragma once

#include <cstdint>

#include "interpose/python/interpreter.h"
#include "interpose/python/layout.h"

namespace graphtap::python {

enum class Verdict : std::uint8_t { kFits, kDiffers, kNotNow };

Verdict TestLayout(const Interpreter& interpreter, const Layout& layout) noexcept;

}  // namespace graphtap::python
