// Encoder: one record as the bytes of one length-delimited graphtap.Entry, ready to stand in a
// frame. Pure functions, no state: any thread. A plain field is always written, an empty text or
// list never, a std::optional exactly when it is set. Failure: std::bad_alloc. Units: as records.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "interpose/record/allocator_records.h"
#include "interpose/record/events.h"
#include "interpose/record/observations.h"
#include "interpose/record/op_records.h"
#include "interpose/record/point_records.h"
#include "interpose/record/records.h"
#include "interpose/record/rule_counters.h"
#include "interpose/record/run_record.h"
#include "proto/lists/losses.h"

namespace graphtap::record {

std::string Encode(const Run& run);
std::string Encode(StringId id, std::string_view text);
std::string Encode(FunctionId id, const Function& function);
std::string Encode(StackId id, const Stack& stack);
std::string Encode(GraphId id, const Graph& graph);
std::string Encode(ThreadId id, const Thread& thread);
std::string Encode(StreamId id, const Stream& stream);
std::string Encode(const Executable& executable);
std::string Encode(SiteId id, const Site& site);

std::string Encode(const Capture& capture);
std::string Encode(const Update& update);
std::string Encode(const Replay& replay);
std::string Encode(const ReplayRange& range);
std::string Encode(const Message& message);
std::string Encode(const End& end);
std::string Encode(Loss cause, std::uint64_t count);

std::string Encode(const Observation& observation);
std::string Encode(const Shadow& shadow);
std::string Encode(const Refusal& refusal);
std::string Encode(const CheckFailure& failure);
std::string Encode(const AllocatorState& state);
std::string Encode(const Point& point);
std::string Encode(const DeviceMemory& memory);
std::string Encode(const ParameterPointer& pointer);
std::string Encode(const CompiledRegion& region);
std::string Encode(const CompiledFile& file);
std::string Encode(std::uint32_t rule, const RuleCounters::Counts& counts);
// Of what there is a lot: appended to `*messages`; `*body` is memory that is used again. What is in
// a graph gives its content in `*body`, without the graph's id.
void Encode(const AllocatorEvent& event, std::string* body, std::string* messages);
std::string_view Encode(GraphId graph, const Node& node, std::string* body, std::string* messages);
std::string_view Encode(GraphId graph, std::uint32_t index, const Op& op, std::string* body,
                        std::string* messages);
// A PayloadPiece.
std::string Encode(PayloadId payload, std::uint64_t offset, std::span<const std::byte> bytes);

}  // namespace graphtap::record
