// What the allocator did and had, points, at which that is looked at, and where parameters lie.
#include "interpose/record/allocator_fields.h"
#include "interpose/record/encoder.h"
#include "interpose/record/entry_writer.h"

namespace graphtap::record {
namespace {

void AddBlock(Writer& to, FieldNumber field, const Block& block) {
  using F = BlockField;
  Builder<F> out(to, field);
  out.add_enum(F::kState, static_cast<std::int32_t>(block.state));
  out.add_fixed64(F::kAddress, block.address);
  out.add_uint64(F::kBytes, block.bytes);
  out.add_uint64(F::kRequested, block.requested);
}

void AddSegment(Writer& to, FieldNumber field, const Segment& segment) {
  using F = SegmentField;
  Builder<F> out(to, field);
  out.add_uint32(F::kDevice, segment.device);
  out.add_fixed64(F::kAddress, segment.address);
  out.add_uint64(F::kBytes, segment.bytes);
  out.add_fixed64(F::kStream, segment.stream);
  out.add_uint64(F::kPoolFirst, segment.pool.first);
  out.add_uint64(F::kPoolSecond, segment.pool.second);
  out.add_bool(F::kExpandable, segment.expandable);
  for (const Block& block : segment.blocks) AddBlock(out, Number(F::kBlocks), block);
}

}  // namespace

void Encode(const AllocatorEvent& event, std::string* body, std::string* messages) {
  using F = AllocatorEventField;
  body->clear();
  Builder<F> out(*body);
  out.add_uint64(F::kNumber, event.number);
  out.add_enum(F::kAction, static_cast<std::int32_t>(event.action));
  out.add_uint32(F::kDevice, event.device);
  out.add_fixed64(F::kAddress, event.address);
  out.add_uint64(F::kBytes, event.bytes);
  out.add_fixed64(F::kStream, event.stream);
  out.add_uint64(F::kPoolFirst, event.pool.first);
  out.add_uint64(F::kPoolSecond, event.pool.second);
  out.add_uint32(F::kThread, Number(event.thread));
  out.add_fixed64(F::kTimeNs, event.time_ns);
  if (event.op) out.add_uint32(F::kOp, Number(*event.op));
  if (event.stack) out.add_uint32(F::kStack, Number(*event.stack));
  AppendDelimited(EntryField::kAllocatorEvent, *body, messages);
}

std::string Encode(const AllocatorState& state) {
  using F = AllocatorStateField;
  std::string body;
  Builder<F> out(body);
  AddText(out, F::kLabel, state.label);
  out.add_uint64(F::kEvents, state.events);
  out.add_bool(F::kSettled, state.settled);
  out.add_fixed64(F::kTimeNs, state.time_ns);
  for (const Segment& segment : state.segments) AddSegment(out, Number(F::kSegments), segment);
  if (state.point) out.add_uint64(F::kPoint, *state.point);
  return Delimited(EntryField::kAllocatorState, body);
}

std::string Encode(const Point& point) {
  using F = PointField;
  std::string body;
  Builder<F> out(body);
  out.add_uint64(F::kNumber, point.number);
  AddText(out, F::kLabel, point.label);
  out.add_enum(F::kKind, static_cast<std::int32_t>(point.kind));
  out.add_enum(F::kEdge, static_cast<std::int32_t>(point.edge));
  if (point.thread) out.add_uint32(F::kThread, Number(*point.thread));
  out.add_fixed64(F::kTimeNs, point.time_ns);
  if (point.call) out.add_uint32(F::kCall, Number(*point.call));
  if (point.bytes) out.add_uint64(F::kBytes, *point.bytes);
  if (point.memory_skipped) out.add_bool(F::kMemorySkipped, true);
  if (point.state_skipped) out.add_bool(F::kStateSkipped, true);
  return Delimited(EntryField::kPoint, body);
}

std::string Encode(const DeviceMemory& memory) {
  using F = DeviceMemoryField;
  std::string body;
  Builder<F> out(body);
  out.add_uint64(F::kPoint, memory.point);
  out.add_uint32(F::kDevice, memory.device);
  out.add_uint64(F::kFreeBytes, memory.free_bytes);
  out.add_uint64(F::kTotalBytes, memory.total_bytes);
  return Delimited(EntryField::kDeviceMemory, body);
}

std::string Encode(const ParameterPointer& pointer) {
  using F = ParameterPointerField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kName, Number(pointer.name));
  out.add_fixed64(F::kAddress, pointer.address);
  out.add_uint64(F::kBytes, pointer.bytes);
  if (pointer.captures) out.add_uint32(F::kCaptures, *pointer.captures);
  out.add_bool(F::kGone, pointer.gone);
  out.add_fixed64(F::kTimeNs, pointer.time_ns);
  return Delimited(EntryField::kParameterPointer, body);
}

std::string Encode(const CompiledRegion& region) {
  using F = CompiledRegionField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kCapture, region.capture);
  out.add_uint32(F::kCompileId, Number(region.compile_id));
  return Delimited(EntryField::kCompiledRegion, body);
}

std::string Encode(const CompiledFile& file) {
  using F = CompiledFileField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kName, Number(file.name));
  out.add_uint32(F::kCompileId, Number(file.compile_id));
  out.add_uint32(F::kFile, Number(file.file));
  out.add_uint32(F::kFunction, Number(file.function));
  out.add_uint32(F::kLine, file.line);
  return Delimited(EntryField::kCompiledFile, body);
}

}  // namespace graphtap::record
