#include "interpose/record/file_recorder.h"

#include <algorithm>
#include <utility>

#include "interpose/record/encoder.h"
#include "proto/frame_format.h"

namespace graphtap::record {
namespace {

template <typename Id>
std::uint32_t Number(Id id) {
  return static_cast<std::uint32_t>(id);
}

WriterThread::Callbacks CallbacksOf(const Recorder::Options& options, Recorder* recorder) {
  WriterThread::Callbacks callbacks;
  callbacks.on_write_error = options.on_write_error;
  if (options.before_flush) {
    callbacks.before_flush = [recorder, call = options.before_flush] { call(*recorder); };
  }
  if (options.collect) {
    callbacks.collect = [recorder, call = options.collect] { call(*recorder); };
  }
  return callbacks;
}

}  // namespace

FileRecorder::FileRecorder(const Options& options, const Run& run, std::unique_ptr<RunFile> file)
    : rules_(options.rules),
      backlog_(options.host_bytes, kFrameTargetBytes),
      writer_(
          backlog_, losses_,
          BatchWriter(std::move(file), options.zstd_level, options.repeat_bytes, losses_, rules_),
          CallbacksOf(options, this)) {
  Messages messages;
  Put(&messages, Encode(run));
  Keep({DefinitionKind::kRun, 0}, std::move(messages));
  writer_.Start();
}

void FileRecorder::CountUnkept(Backlog::Kept kept, std::uint64_t messages) noexcept {
  if (kept == Backlog::Kept::kFull) losses_.Count(Loss::buffer_full, messages);
  if (kept == Backlog::Kept::kBroken) losses_.Count(Loss::write_failed, messages);
}

void FileRecorder::Put(Messages* to, std::string_view message) {
  if (message.size() > kFrameMaxRawBytes) {
    losses_.Count(Loss::too_large, 1);
    return;
  }
  to->bytes += message;
  ++to->count;
}

void FileRecorder::Keep(DefinitionKey key, Messages messages) {
  Keep(key, std::make_shared<Defined>(std::move(messages)));
}

void FileRecorder::Keep(DefinitionKey key, Definition definition) {
  const std::uint32_t count = definition->count();
  CountUnkept(backlog_.Add(key, std::move(definition)), count);
}

template <typename Id, typename Value>
Id FileRecorder::DefineNext(std::atomic<std::uint32_t>& next, DefinitionKind kind,
                            const Value& value) noexcept {
  const Id id{next.fetch_add(1, std::memory_order_relaxed)};
  try {
    Messages messages;
    Put(&messages, Encode(id, value));
    Keep({kind, Number(id)}, std::move(messages));
  } catch (...) {
    losses_.Count(Loss::internal, 1);
  }
  return id;
}

template <typename Value>
void FileRecorder::AppendRecord(const Value& value) noexcept {
  try {
    Messages messages;
    Put(&messages, Encode(value));
    if (messages.count > 0) CountUnkept(backlog_.Add(messages.bytes), 1);
  } catch (...) {
    losses_.Count(Loss::internal, 1);
  }
}

StringId FileRecorder::Intern(std::string_view text) noexcept {
  try {
    const std::lock_guard lock(strings_mutex_);
    if (const auto found = strings_.find(text); found != strings_.end()) return found->second;
    // In the map only after it is in the backlog: a definition stands before its first use.
    const auto id = DefineNext<StringId>(next_string_, DefinitionKind::kString, text);
    strings_.emplace(text, id);
    return id;
  } catch (...) {
    losses_.Count(Loss::internal, 1);
    // An id without a definition: the reader shows its users as orphans.
    return StringId{next_string_.fetch_add(1, std::memory_order_relaxed)};
  }
}

FunctionId FileRecorder::Define(const Function& function) noexcept {
  return DefineNext<FunctionId>(next_function_, DefinitionKind::kFunction, function);
}

StackId FileRecorder::Define(const Stack& stack) noexcept {
  return DefineNext<StackId>(next_stack_, DefinitionKind::kStack, stack);
}

ThreadId FileRecorder::Define(const Thread& thread) noexcept {
  return DefineNext<ThreadId>(next_thread_, DefinitionKind::kThread, thread);
}

StreamId FileRecorder::Define(const Stream& stream) noexcept {
  return DefineNext<StreamId>(next_stream_, DefinitionKind::kStream, stream);
}

GraphId FileRecorder::Define(const Graph& graph, std::shared_ptr<GraphContents> contents) noexcept {
  const GraphId id{next_graph_.fetch_add(1, std::memory_order_relaxed)};
  const std::uint32_t count = 1 + contents->count();
  try {
    const std::uint64_t bytes = sizeof(Graph) + contents->bytes();
    auto encode = [this, id, graph, contents = std::move(contents)] {
      Messages messages;
      Put(&messages, Encode(id, graph));
      contents->TakeMessages(id, [&](std::string_view message) { Put(&messages, message); });
      return messages;
    };
    Keep({DefinitionKind::kGraph, Number(id)},
         std::make_shared<Defined>(std::move(encode), count, bytes));
  } catch (...) {
    losses_.Count(Loss::internal, count);
  }
  return id;
}

void FileRecorder::Define(const Executable& executable) noexcept {
  try {
    Messages messages;
    Put(&messages, Encode(executable));
    Keep({DefinitionKind::kExecutable, executable.number}, std::move(messages));
  } catch (...) {
    losses_.Count(Loss::internal, 1);
  }
}

SiteId FileRecorder::Define(const Site& site) noexcept {
  return DefineNext<SiteId>(next_site_, DefinitionKind::kSite, site);
}

StringId FileRecorder::DefineText(std::string_view text) noexcept {
  return DefineNext<StringId>(next_string_, DefinitionKind::kString, text);
}

void FileRecorder::Retire(StringId text) noexcept {
  backlog_.Retire({DefinitionKind::kString, Number(text)});
}

void FileRecorder::Retire(GraphId graph) noexcept {
  backlog_.Retire({DefinitionKind::kGraph, Number(graph)});
}

void FileRecorder::Retire(StreamId stream) noexcept {
  backlog_.Retire({DefinitionKind::kStream, Number(stream)});
}

void FileRecorder::Retire(SiteId site) noexcept {
  backlog_.Retire({DefinitionKind::kSite, Number(site)});
}

void FileRecorder::RetireExecutable(std::uint32_t number) noexcept {
  backlog_.Retire({DefinitionKind::kExecutable, number});
}

void FileRecorder::Append(const Capture& capture) noexcept { AppendRecord(capture); }
void FileRecorder::Append(const Update& update) noexcept { AppendRecord(update); }
void FileRecorder::Append(const Replay& replay) noexcept { AppendRecord(replay); }
void FileRecorder::Append(const ReplayRange& range) noexcept { AppendRecord(range); }
void FileRecorder::Append(const Message& message) noexcept { AppendRecord(message); }
void FileRecorder::Append(const Observation& observation) noexcept { AppendRecord(observation); }
void FileRecorder::Append(const Shadow& shadow) noexcept { AppendRecord(shadow); }
void FileRecorder::Append(const Refusal& refusal) noexcept { AppendRecord(refusal); }
void FileRecorder::Append(const End& end) noexcept { AppendRecord(end); }
void FileRecorder::Append(const CheckFailure& failure) noexcept { AppendRecord(failure); }
void FileRecorder::Append(const AllocatorState& state) noexcept { AppendRecord(state); }
void FileRecorder::Append(const Point& point) noexcept { AppendRecord(point); }
void FileRecorder::Append(const DeviceMemory& memory) noexcept { AppendRecord(memory); }
void FileRecorder::Append(const ParameterPointer& pointer) noexcept { AppendRecord(pointer); }
void FileRecorder::Append(const CompiledRegion& region) noexcept { AppendRecord(region); }
void FileRecorder::Append(const CompiledFile& file) noexcept { AppendRecord(file); }

// There may be hundreds of thousands a second: many are encoded into one piece of memory.
void FileRecorder::Append(std::span<const AllocatorEvent> events) noexcept {
  constexpr std::size_t kAtOnce = 512;
  std::string messages, body;
  while (!events.empty()) {
    const auto some = events.first(std::min(events.size(), kAtOnce));
    events = events.subspan(some.size());
    const auto count = static_cast<std::uint32_t>(some.size());
    try {
      messages.clear();
      for (const AllocatorEvent& event : some) Encode(event, &body, &messages);
      CountUnkept(backlog_.Add(messages, count), count);
    } catch (...) {
      losses_.Count(Loss::internal, count);
    }
  }
}

PayloadId FileRecorder::NextPayload() noexcept {
  return PayloadId{next_payload_.fetch_add(1, std::memory_order_relaxed)};
}

void FileRecorder::AppendPiece(PayloadId payload, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), kPieceMaxBytes));
    try {
      CountUnkept(backlog_.AddPayload(Encode(payload, offset, piece)), 1);
    } catch (...) {
      losses_.Count(Loss::internal, 1);
    }
    offset += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

void FileRecorder::Count(Loss loss, std::uint64_t count) noexcept { losses_.Count(loss, count); }

void FileRecorder::Count(std::uint32_t rule, RuleCount what, std::uint64_t count) noexcept {
  if (!rules_.Count(rule, what, count)) losses_.Count(Loss::internal, 1);
}

void FileRecorder::RequestFinish(const End& end) noexcept {
  try {
    writer_.RequestStop(Encode(end));
  } catch (...) {
    losses_.Count(Loss::internal, 1);
  }
}

bool FileRecorder::Finish(const End& end, std::chrono::milliseconds limit) noexcept {
  try {
    if (writer_.Finish(Encode(end), limit)) return true;
    losses_.Count(Loss::exit_timeout, 1);
  } catch (...) {
    losses_.Count(Loss::internal, 1);
  }
  return false;
}

}  // namespace graphtap::record
