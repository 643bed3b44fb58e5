// Launch: one run of a program on a stream. Owner: the stream's queue until it has run. Threads:
// queued under GraphLock, run on the stream's worker without it. Failure: the first error of a node
// ends the run and becomes the context's sticky error; its remaining nodes do not run.
#pragma once

#include <memory>

#include "tests/hostcuda/driver/completion.h"
#include "tests/hostcuda/graph/program.h"
#include "tests/hostcuda/graph/user_object.h"

namespace hostcuda {

struct Stream;

// What a launch keeps alive while it is in flight.
struct Program {
  std::shared_ptr<const ProgramShape> shape;
  std::shared_ptr<const ProgramState> state;
  std::shared_ptr<const UserObjectSet> user_objects;
};

// Queues a run behind the stream's work and behind `previous` (may be null). Events that the
// program records count as recorded from now on. Returns the completion of the run.
CompletionPtr LaunchProgram(Stream& stream, Program program, CompletionPtr previous);

}  // namespace hostcuda
