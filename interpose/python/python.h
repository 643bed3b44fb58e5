// Python: what is known of the interpreter in this process, if there is one. Owner: the observer.
// Threads: any. Failure: as its parts'. No units.
#pragma once

#include "interpose/python/parameter_names.h"
#include "interpose/python/stacks.h"

namespace graphtap::python {

struct Python {
  // They stay for good: the interpreter is told of them.
  explicit Python(session::Session& session) : stacks(session), parameter_names(session) {}

  Stacks stacks;
  ParameterNames parameter_names;
};

}  // namespace graphtap::python
