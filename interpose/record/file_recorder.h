// File recorder: the Recorder that writes a run file. Gives ids, encodes in the caller's thread all
// but graphs, and leaves the rest to the backlog and the writer thread. Owner, threads, failure:
// recorder.h.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "interpose/record/backlog.h"
#include "interpose/record/loss_counters.h"
#include "interpose/record/recorder.h"
#include "interpose/record/rule_counters.h"
#include "interpose/record/writer_thread.h"

namespace graphtap::record {

class FileRecorder final : public Recorder {
 public:
  // Throws what creating a thread and allocating memory throw.
  FileRecorder(const Options& options, const Run& run, std::unique_ptr<RunFile> file);

  StringId Intern(std::string_view text) noexcept override;
  StringId DefineText(std::string_view text) noexcept override;
  void Retire(StringId text) noexcept override;
  FunctionId Define(const Function& function) noexcept override;
  StackId Define(const Stack& stack) noexcept override;
  GraphId Define(const Graph& graph, std::shared_ptr<GraphContents> contents) noexcept override;
  ThreadId Define(const Thread& thread) noexcept override;
  StreamId Define(const Stream& stream) noexcept override;
  void Define(const Executable& executable) noexcept override;
  SiteId Define(const Site& site) noexcept override;
  void Retire(GraphId graph) noexcept override;
  void Retire(StreamId stream) noexcept override;
  void Retire(SiteId site) noexcept override;
  void RetireExecutable(std::uint32_t number) noexcept override;
  void Append(const Capture& capture) noexcept override;
  void Append(const Update& update) noexcept override;
  void Append(const Replay& replay) noexcept override;
  void Append(const ReplayRange& range) noexcept override;
  void Append(const Message& message) noexcept override;
  void Append(const Observation& observation) noexcept override;
  void Append(const Shadow& shadow) noexcept override;
  void Append(const Refusal& refusal) noexcept override;
  void Append(const End& end) noexcept override;
  void Append(const CheckFailure& failure) noexcept override;
  void Append(std::span<const AllocatorEvent> events) noexcept override;
  void Append(const AllocatorState& state) noexcept override;
  void Append(const Point& point) noexcept override;
  void Append(const DeviceMemory& memory) noexcept override;
  void Append(const ParameterPointer& pointer) noexcept override;
  void Append(const CompiledRegion& region) noexcept override;
  void Append(const CompiledFile& file) noexcept override;
  PayloadId NextPayload() noexcept override;
  void AppendPiece(PayloadId payload, std::uint64_t offset,
                   std::span<const std::byte> bytes) noexcept override;
  void Count(Loss loss, std::uint64_t count) noexcept override;
  void Count(std::uint32_t rule, RuleCount what, std::uint64_t count) noexcept override;
  bool Finish(const End& end, std::chrono::milliseconds limit) noexcept override;
  void RequestFinish(const End& end) noexcept override;
  bool Ended() const noexcept override { return writer_.ended(); }
  std::uint64_t AskFlush() noexcept override { return writer_.AskFlush(); }
  bool Flushed(std::uint64_t number) const noexcept override {
    return writer_.flushed() >= number || writer_.ended();
  }
  void WriteNow() noexcept override { writer_.WriteNow(); }
  void AskCollect() noexcept override { writer_.AskCollect(); }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  template <typename Id, typename Value>
  Id DefineNext(std::atomic<std::uint32_t>& next, DefinitionKind kind, const Value& value) noexcept;
  template <typename Value>
  void AppendRecord(const Value& value) noexcept;
  void Put(Messages* to, std::string_view message);
  void Keep(DefinitionKey key, Messages messages);
  void Keep(DefinitionKey key, Definition definition);
  void CountUnkept(Backlog::Kept kept, std::uint64_t messages) noexcept;

  LossCounters losses_;
  RuleCounters rules_;
  Backlog backlog_;
  std::atomic<std::uint32_t> next_string_ = 0;
  std::atomic<std::uint32_t> next_function_ = 0;
  std::atomic<std::uint32_t> next_stack_ = 0;
  std::atomic<std::uint32_t> next_graph_ = 0;
  std::atomic<std::uint32_t> next_thread_ = 0;
  std::atomic<std::uint32_t> next_stream_ = 0;
  std::atomic<std::uint32_t> next_site_ = 0;
  std::atomic<std::uint64_t> next_payload_ = 0;

  std::mutex strings_mutex_;  // taken before the backlog's lock
  std::unordered_map<std::string, StringId, TextHash, std::equal_to<>> strings_;

  WriterThread writer_;  // last: it uses the others
};

}  // namespace graphtap::record
