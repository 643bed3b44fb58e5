// Definitions other than graphs.
#include "interpose/record/allocator_fields.h"
#include "interpose/record/encoder.h"
#include "interpose/record/entry_writer.h"

namespace graphtap::record {
namespace {

void AddPairs(Writer& to, RunField field, const std::vector<KeyValue>& pairs) {
  for (const auto& [key, value] : pairs) {
    // By add_message, because protozero drops a submessage without fields.
    std::string body;
    Builder<KeyValueField> out(body);
    AddText(out, KeyValueField::kKey, key);
    AddText(out, KeyValueField::kValue, value);
    to.add_message(Number(field), body);
  }
}

// Elements of a list keep their place: empty ones are written too.
void AddTexts(Builder<RunField>& to, RunField field, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) to.add_string(field, ToUtf8(text));
}

void AddGpu(Writer& to, const Gpu& gpu) {
  using F = GpuField;
  Builder<F> out(to, RunField::kGpus);
  out.add_uint32(F::kOrdinal, gpu.ordinal);
  AddText(out, F::kName, gpu.name);
  if (!gpu.uuid.empty()) out.add_bytes(F::kUuid, gpu.uuid);
  out.add_uint64(F::kMemoryBytes, gpu.memory_bytes);
  out.add_uint32(F::kMultiprocessors, gpu.multiprocessors);
  out.add_uint32(F::kComputeCapability, gpu.compute_capability);
}

}  // namespace

std::string Encode(const Run& run) {
  using F = RunField;
  std::string body;
  Builder<F> out(body);
  AddText(out, F::kRunId, run.run_id);
  AddText(out, F::kName, run.name);
  AddText(out, F::kGroupId, run.group_id);
  AddOptional(out, F::kWorldSize, run.world_size);
  AddOptional(out, F::kRank, run.rank);
  AddText(out, F::kRankVariable, run.rank_variable);
  AddText(out, F::kHost, run.host);
  out.add_uint32(F::kPid, run.pid);
  out.add_uint32(F::kParentPid, run.parent_pid);
  out.add_fixed64(F::kStartRealtimeNs, run.start_realtime_ns);
  out.add_fixed64(F::kStartMonotonicNs, run.start_monotonic_ns);
  AddText(out, F::kProgram, run.program);
  AddTexts(out, F::kArguments, run.arguments);
  AddText(out, F::kWorkingDirectory, run.working_directory);
  AddPairs(out, F::kEnvironment, run.environment);
  AddPairs(out, F::kMetadata, run.metadata);
  AddText(out, F::kGraphtapVersion, run.graphtap_version);
  AddOptional(out, F::kDriverVersion, run.driver_version);
  AddTexts(out, F::kLibraries, run.libraries);
  for (const Gpu& gpu : run.gpus) AddGpu(out, gpu);
  AddTexts(out, F::kOtherTools, run.other_tools);
  AddText(out, F::kSpecification, run.specification);
  AddText(out, F::kReplays, run.replays);
  AddText(out, F::kPoints, run.points);
  return Delimited(EntryField::kRun, body);
}

std::string Encode(StringId id, std::string_view text) {
  std::string body;
  Builder<StringField> out(body);
  out.add_uint32(StringField::kId, Number(id));
  if (!text.empty()) out.add_bytes(StringField::kText, text.data(), text.size());
  return Delimited(EntryField::kString, body);
}

std::string Encode(FunctionId id, const Function& function) {
  using F = FunctionField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kId, Number(id));
  out.add_uint32(F::kName, Number(function.name));
  for (const Parameter& parameter : function.parameters) {
    Builder<ParameterField> inner(out, F::kParameters);
    inner.add_uint32(ParameterField::kOffset, parameter.offset);
    inner.add_uint32(ParameterField::kSize, parameter.size);
  }
  out.add_bool(F::kLayoutUnknown, function.layout_unknown);
  return Delimited(EntryField::kFunction, body);
}

std::string Encode(StackId id, const Stack& stack) {
  std::string body;
  Builder<StackField> out(body);
  out.add_uint32(StackField::kId, Number(id));
  for (const Frame& frame : stack.frames) {
    Builder<FrameField> inner(out, StackField::kFrames);
    inner.add_uint32(FrameField::kFile, Number(frame.file));
    inner.add_uint32(FrameField::kFunction, Number(frame.function));
    if (frame.line != 0) inner.add_uint32(FrameField::kLine, frame.line);
  }
  out.add_bool(StackField::kCut, stack.cut);
  return Delimited(EntryField::kStack, body);
}

std::string Encode(ThreadId id, const Thread& thread) {
  using F = ThreadField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kId, Number(id));
  out.add_uint32(F::kSystemId, thread.system_id);
  AddText(out, F::kName, thread.name);
  out.add_fixed64(F::kFirstSeenNs, thread.first_seen_ns);
  return Delimited(EntryField::kThread, body);
}

std::string Encode(StreamId id, const Stream& stream) {
  using F = StreamField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kId, Number(id));
  out.add_enum(F::kKind, static_cast<std::int32_t>(stream.kind));
  out.add_fixed64(F::kHandle, stream.handle);
  if (stream.device) out.add_uint32(F::kDevice, *stream.device);
  return Delimited(EntryField::kStream, body);
}

std::string Encode(const Executable& executable) {
  using F = ExecutableField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kNumber, executable.number);
  out.add_uint32(F::kGraph, Number(executable.graph));
  out.add_uint32(F::kKey, Number(executable.key));
  out.add_uint64(F::kFlags, executable.flags);
  out.add_uint32(F::kThread, Number(executable.thread));
  out.add_fixed64(F::kTimeNs, executable.time_ns);
  out.add_uint32(F::kCall, Number(executable.call));
  return Delimited(EntryField::kExecutable, body);
}

}  // namespace graphtap::record
