// Records of what happened.
#include "interpose/record/encoder.h"
#include "interpose/record/entry_writer.h"

namespace graphtap::record {

std::string Encode(const Capture& capture) {
  using F = CaptureField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kNumber, capture.number);
  out.add_uint32(F::kKey, Number(capture.key));
  out.add_uint32(F::kMode, capture.mode);
  out.add_uint32(F::kThread, Number(capture.thread));
  out.add_uint32(F::kStream, Number(capture.stream));
  AddIds(out, F::kJoinedStreams, capture.joined_streams);
  out.add_fixed64(F::kBeginNs, capture.begin_ns);
  if (capture.end_ns) out.add_fixed64(F::kEndNs, *capture.end_ns);
  out.add_enum(F::kOutcome, static_cast<std::int32_t>(capture.outcome));
  AddOptional(out, F::kError, capture.error);
  AddOptional(out, F::kGraph, capture.graph);
  AddOptional(out, F::kNodeCount, capture.node_count);
  out.add_bool(F::kToGraph, capture.to_graph);
  out.add_uint32(F::kJoinedCount, static_cast<std::uint32_t>(capture.joined_streams.size()));
  return Delimited(EntryField::kCapture, body);
}

std::string Encode(const Update& update) {
  using F = UpdateField;
  std::string body;
  Builder<F> out(body);
  AddOptional(out, F::kExecutable, update.executable);
  out.add_uint32(F::kCall, Number(update.call));
  out.add_uint32(F::kResult, update.result);
  if (update.graph) out.add_uint32(F::kGraph, Number(*update.graph));
  AddOptional(out, F::kNode, update.node);
  if (update.parameters) AddNodeParameters(out, Number(F::kParameters), *update.parameters);
  if (update.enabled) out.add_bool(F::kEnabled, *update.enabled);
  AddOptional(out, F::kUpdateResult, update.update_result);
  out.add_uint32(F::kThread, Number(update.thread));
  out.add_fixed64(F::kTimeNs, update.time_ns);
  out.add_uint64(F::kAfterReplay, update.after_replay);
  out.add_bool(F::kDestroyed, update.destroyed);
  return Delimited(EntryField::kUpdate, body);
}

std::string Encode(const Replay& replay) {
  using F = ReplayField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kExecutable, replay.executable);
  if (replay.number) out.add_uint64(F::kNumber, *replay.number);
  out.add_uint32(F::kStream, Number(replay.stream));
  out.add_uint32(F::kThread, Number(replay.thread));
  out.add_fixed64(F::kTimeNs, replay.time_ns);
  out.add_uint32(F::kError, replay.error);
  out.add_bool(F::kSampled, replay.sampled);
  if (replay.lost) out.add_uint32(F::kLost, static_cast<std::uint32_t>(*replay.lost));
  return Delimited(EntryField::kReplay, body);
}

std::string Encode(const ReplayRange& range) {
  using F = ReplayRangeField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kExecutable, range.executable);
  out.add_uint64(F::kFirst, range.first);
  out.add_uint64(F::kLast, range.last);
  AddIds(out, F::kStreams, range.streams);
  out.add_fixed64(F::kFirstNs, range.first_ns);
  out.add_fixed64(F::kLastNs, range.last_ns);
  return Delimited(EntryField::kReplayRange, body);
}

std::string Encode(const Message& message) {
  using F = MessageField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kCode, message.code);
  AddText(out, F::kDetail, message.detail);
  out.add_fixed64(F::kTimeNs, message.time_ns);
  return Delimited(EntryField::kMessage, body);
}

std::string Encode(const End& end) {
  using F = EndField;
  std::string body;
  Builder<F> out(body);
  out.add_enum(F::kHow, static_cast<std::int32_t>(end.how));
  if (end.exit_code) out.add_sint32(F::kExitCode, *end.exit_code);
  out.add_fixed64(F::kTimeNs, end.time_ns);
  return Delimited(EntryField::kEnd, body);
}

std::string Encode(Loss cause, std::uint64_t count) {
  std::string body;
  Builder<LossField> out(body);
  out.add_uint32(LossField::kCause, static_cast<std::uint32_t>(cause));
  out.add_uint64(LossField::kCount, count);
  return Delimited(EntryField::kLoss, body);
}

}  // namespace graphtap::record
