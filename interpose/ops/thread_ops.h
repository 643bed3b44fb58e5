// Thread ops: the operators that are open on the calling thread, the innermost last, each with the
// capture or the eager step that it is recorded in. Owner: each thread has its own, on the heap and
// reached by one thread-local pointer, freed at the thread's end. Threads: only the own thread
// reads it. Failure: out of memory loses an op. No units.
#pragma once

#include <cstdint>
#include <optional>

#include "interpose/session/session.h"

namespace graphtap::ops {

struct OpenOp {
  std::uint64_t capture = 0;  // the driver's id; 0: of none
  std::uint64_t step = 0;     // of all steps of the process, from 1; 0: of none
  std::uint32_t number = 0;   // in the capture's log, or the step
  session::StreamRef stream{};
  std::optional<record::StringId> name{};
  bool leaf = false;
};

void Push(const OpenOp& op) noexcept;

// The one pushed last, which leaves; nullopt: there is none.
std::optional<OpenOp> Pop() noexcept;

// What runs on this thread: the leaf, else the innermost one; nullptr: nothing that is known. Until
// the next push or pop.
const OpenOp* Current() noexcept;

// A leaf is open on this thread.
bool InLeaf() noexcept;

// The innermost of a capture, or of a step.
std::optional<std::uint32_t> Innermost(std::uint64_t capture) noexcept;
std::optional<std::uint32_t> InnermostOfStep(std::uint64_t step) noexcept;

}  // namespace graphtap::ops
