#include "interpose/record/batch_writer.h"

#include <new>
#include <protozero/varint.hpp>

#include "interpose/record/encoder.h"

namespace graphtap::record {
namespace {

// Takes the first message, with its length in front, off `rest`.
std::string_view NextMessage(std::string_view* rest) {
  const char* body = rest->data();
  const std::uint64_t length = protozero::decode_varint(&body, rest->data() + rest->size());
  const auto size = static_cast<std::size_t>(body - rest->data()) + length;
  const std::string_view message = rest->substr(0, size);
  rest->remove_prefix(size);
  return message;
}

void Put(Messages* to, std::string_view bytes, std::uint32_t count) {
  to->bytes += bytes;
  to->count += count;
}

}  // namespace

// Gives the room of a taken batch back as it is written, and the rest at the end.
class BatchWriter::TakenRoom {
 public:
  TakenRoom(Backlog& backlog, std::uint64_t bytes) : backlog_(backlog), bytes_(bytes) {}
  ~TakenRoom() { backlog_.Release(bytes_); }
  TakenRoom(const TakenRoom&) = delete;
  TakenRoom& operator=(const TakenRoom&) = delete;

  void Release(std::uint64_t bytes) {
    backlog_.Release(bytes);
    bytes_ -= bytes;
  }

 private:
  Backlog& backlog_;
  std::uint64_t bytes_;
};

BatchWriter::BatchWriter(std::unique_ptr<RunFile> file, int zstd_level, std::uint64_t repeat_bytes,
                         LossCounters& losses, RuleCounters& rules)
    : frames_(std::move(file), zstd_level),
      repeat_bytes_(repeat_bytes),
      losses_(losses),
      rules_(rules) {}

bool BatchWriter::RepeatIsDue() const {
  return frames_.stored_bytes() - repeated_at_ >= repeat_bytes_;
}

int BatchWriter::Write(Backlog& backlog) {
  const int error = WriteBatch(backlog, backlog.Take(RepeatIsDue(), false));
  return error != 0 ? error : WriteTail({});
}

int BatchWriter::WriteLast(Backlog& backlog, std::string_view end) {
  int error = WriteBatch(backlog, backlog.Take(RepeatIsDue(), true));
  if (error == 0) error = WriteTail(end);
  if (error != 0 || end.empty()) return error;
  return WriteFrame(FrameKind::kEnd, {});
}

int BatchWriter::WriteBatch(Backlog& backlog, Backlog::Batch batch) {
  TakenRoom room(backlog, batch.bytes);
  unwritten_ = batch.Count();
  const int error = WriteContents(batch, room);
  if (error != 0) losses_.Count(Loss::write_failed, unwritten_);
  return error;
}

int BatchWriter::WriteContents(Backlog::Batch& batch, TakenRoom& room) {
  if (!batch.repeated.empty()) {
    if (const int error = WriteDefinitions(batch.repeated, true)) return error;
    repeated_at_ = frames_.stored_bytes();
  }
  if (const int error = WriteDefinitions(batch.definitions, false)) return error;
  for (const Definition& definition : batch.definitions) unwritten_ -= definition->count();
  if (const int error = WriteFrames(FrameKind::kRecords, batch.records, room)) return error;
  return WriteFrames(FrameKind::kPayload, batch.payloads, room);
}

int BatchWriter::WriteFrames(FrameKind kind, std::vector<Messages>& frames, TakenRoom& room) {
  for (Messages& frame : frames) {
    if (const int error = WriteFrame(kind, frame)) return error;
    unwritten_ -= frame.count;
    const std::uint64_t bytes = frame.bytes.size();
    frame = {};
    room.Release(bytes);
  }
  return 0;
}

int BatchWriter::WriteDefinitions(std::span<const Definition> definitions, bool repeated) {
  try {
    return PackDefinitions(definitions, repeated);
  } catch (const std::bad_alloc&) {
    for (const Definition& definition : definitions) {
      losses_.Count(Loss::internal, definition->count());
    }
    return 0;
  }
}

int BatchWriter::PackDefinitions(std::span<const Definition> definitions, bool repeated) {
  Messages frame;
  for (const Definition& definition : definitions) {
    for (std::string_view rest = definition->Get().bytes; !rest.empty();) {
      const std::string_view message = NextMessage(&rest);
      if (frame.count > 0 && frame.bytes.size() + message.size() > kFrameTargetBytes) {
        if (const int error = WriteFrame(FrameKind::kDefinitions, frame)) return error;
        frame.bytes.clear();
        frame.count = 0;
        // The run, which is the first live definition, stands in each frame of a repetition.
        const Messages& run = definitions.front()->Get();
        if (repeated && run.bytes.size() + message.size() <= kFrameMaxRawBytes) {
          Put(&frame, run.bytes, run.count);
        }
      }
      Put(&frame, message, 1);
    }
  }
  return frame.count > 0 ? WriteFrame(FrameKind::kDefinitions, frame) : 0;
}

int BatchWriter::WriteTail(std::string_view end) {
  Messages tail;
  for (const auto& [loss, count] : losses_.Changed()) Put(&tail, Encode(loss, count), 1);
  for (const auto& [rule, counts] : rules_.Changed()) Put(&tail, Encode(rule, counts), 1);
  if (!end.empty()) Put(&tail, end, 1);
  const int error = tail.count > 0 ? WriteFrame(FrameKind::kRecords, tail) : 0;
  if (error != 0) {
    losses_.TellAgain();
    rules_.TellAgain();
  }
  return error;
}

int BatchWriter::WriteFrame(FrameKind kind, const Messages& messages) {
  try {
    return frames_.Write(kind, messages.bytes, messages.count);
  } catch (const std::bad_alloc&) {
    losses_.Count(Loss::internal, messages.count);
    return 0;
  }
}

}  // namespace graphtap::record
