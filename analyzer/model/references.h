// References: the fields of a record that point to a definition by id (option refers_to).
// Pure functions, any thread, no failure.
#pragma once

#include <functional>

#include "analyzer/model/process.h"
#include "proto/trace.pb.h"

namespace graphtap::model {

// Calls `visit` for each reference in the message and the messages inside it.
void VisitReferences(const google::protobuf::Message& message,
                     const std::function<void(Reference, std::uint32_t id)>& visit);

// Whether the definition is in the tables. A graph that only its nodes tell of is not.
bool IsDefined(const Process& process, Reference kind, std::uint32_t id);

// What the definition is called: a string's text, a function's short name, g3.v1; of a thread its
// name, else t<id>; s<id> for a stream; x0/17 <name>[<invocation>] for a site; the place
// of a stack. "?" when it is lost.
std::string Describe(const Process& process, Reference kind, std::uint32_t id);

}  // namespace graphtap::model
