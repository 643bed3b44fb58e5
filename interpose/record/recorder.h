// Recorder: the run file of this process. Takes records as values, encodes them, closes frames by
// size and age, and has its own thread compress and write them.
// Owner: the session; leaked in a forked child, never destroyed. Threads: all methods from any
// thread; nothing waits for the disk but Finish(). A definition is on disk no later than its first
// use. Failure: no method throws or fails visibly: what cannot be kept is counted as a loss; after
// a write error nothing more is written. Units: bytes, nanoseconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "interpose/record/allocator_records.h"
#include "interpose/record/events.h"
#include "interpose/record/graph_contents.h"
#include "interpose/record/observations.h"
#include "interpose/record/op_records.h"
#include "interpose/record/point_records.h"
#include "interpose/record/records.h"
#include "interpose/record/run_record.h"
#include "proto/frame_format.h"
#include "proto/lists/losses.h"

namespace graphtap::record {

class Recorder {
 public:
  struct Options {
    std::string folder;                       // made with mode 0700 if it does not exist
    int zstd_level = 1;                       // 0: raw frames
    std::uint64_t host_bytes = 512ull << 20;  // of messages that wait to be written
    // Live definitions are written again after this much stored payload.
    std::uint64_t repeat_bytes = kRepeatDefinitionsBytes;
    std::uint32_t rules = 0;  // of the specification, to be counted
    // On the writer thread before each flush: the place to append what is kept in counters.
    std::function<void(Recorder&)> before_flush;
    // The same without a flush, after AskCollect().
    std::function<void(Recorder&)> collect;
    // On the writer thread, once: what failed, as one line.
    std::function<void(const std::string&)> on_write_error;
  };

  // Creates the file <folder>/<host>.<pid>.<start realtime ns, hex>.gtap (exclusively, mode 0600)
  // and starts the writer thread, which blocks all signals. nullptr: *error says why, in one line.
  static std::unique_ptr<Recorder> Start(const Options& options, const Run& run,
                                         std::string* error) noexcept;

  virtual ~Recorder() = default;

  // The same text always gives the same id.
  virtual StringId Intern(std::string_view text) noexcept = 0;
  // A text that is live until it is retired, with an id of its own (OwnedText).
  virtual StringId DefineText(std::string_view text) noexcept = 0;
  virtual void Retire(StringId text) noexcept = 0;

  // Definitions get the next id of their kind. They are repeated in the file until retired.
  virtual FunctionId Define(const Function& function) noexcept = 0;
  virtual StackId Define(const Stack& stack) noexcept = 0;
  virtual GraphId Define(const Graph& graph, std::shared_ptr<GraphContents> contents) noexcept = 0;
  virtual ThreadId Define(const Thread& thread) noexcept = 0;
  virtual StreamId Define(const Stream& stream) noexcept = 0;
  virtual void Define(const Executable& executable) noexcept = 0;
  virtual SiteId Define(const Site& site) noexcept = 0;
  virtual void Retire(GraphId graph) noexcept = 0;
  virtual void Retire(StreamId stream) noexcept = 0;
  virtual void Retire(SiteId site) noexcept = 0;
  virtual void RetireExecutable(std::uint32_t number) noexcept = 0;

  virtual void Append(const Capture& capture) noexcept = 0;
  virtual void Append(const Update& update) noexcept = 0;
  virtual void Append(const Replay& replay) noexcept = 0;
  virtual void Append(const ReplayRange& range) noexcept = 0;
  virtual void Append(const Message& message) noexcept = 0;
  virtual void Append(const Observation& observation) noexcept = 0;
  virtual void Append(const Shadow& shadow) noexcept = 0;
  virtual void Append(const Refusal& refusal) noexcept = 0;
  // How the process is about to end; the last one counts. Without the end frame: it may go on.
  virtual void Append(const End& end) noexcept = 0;
  virtual void Append(const CheckFailure& failure) noexcept = 0;
  virtual void Append(std::span<const AllocatorEvent> events) noexcept = 0;
  virtual void Append(const AllocatorState& state) noexcept = 0;
  virtual void Append(const Point& point) noexcept = 0;
  virtual void Append(const DeviceMemory& memory) noexcept = 0;
  virtual void Append(const ParameterPointer& pointer) noexcept = 0;
  virtual void Append(const CompiledRegion& region) noexcept = 0;
  virtual void Append(const CompiledFile& file) noexcept = 0;

  // The bytes that an observation names by NextPayload's id, in pieces at their offset, in any
  // order; a piece for which there is no room is a loss (buffer_full).
  virtual PayloadId NextPayload() noexcept = 0;
  virtual void AppendPiece(PayloadId payload, std::uint64_t offset,
                           std::span<const std::byte> bytes) noexcept = 0;

  // Adds to a loss counter; the count goes into the file with the next flush.
  virtual void Count(Loss loss, std::uint64_t count = 1) noexcept = 0;
  // The same for a rule, which is less than Options::rules. Takes no lock.
  virtual void Count(std::uint32_t rule, RuleCount what, std::uint64_t count) noexcept = 0;

  // Writes everything and the end frame, waiting at most `limit`; later calls do nothing. Called
  // once, from an exit handler. False: the time was not enough (counted as a loss if still
  // possible).
  virtual bool Finish(const End& end, std::chrono::milliseconds limit) noexcept = 0;
  // The same at the next flush, without waiting; Ended() tells when.
  virtual void RequestFinish(const End& end) noexcept = 0;
  virtual bool Ended() const noexcept = 0;

  // Asks for a flush, also in a signal handler: neither waits nor allocates. Flushed(number) tells
  // when it is done.
  virtual std::uint64_t AskFlush() noexcept = 0;
  virtual bool Flushed(std::uint64_t number) const noexcept = 0;
  // On the writer thread, in `before_flush`: what waits is in the file when it returns.
  virtual void WriteNow() noexcept = 0;
  // Asks for a collection, soon: neither waits nor allocates.
  virtual void AskCollect() noexcept = 0;
};

// A text that ends with its owner: the names of what a job makes again and again.
class OwnedText {
 public:
  OwnedText(Recorder& recorder, std::string_view text)
      : recorder_(recorder), id_(recorder.DefineText(text)) {}
  ~OwnedText() { recorder_.Retire(id_); }
  OwnedText(const OwnedText&) = delete;
  OwnedText& operator=(const OwnedText&) = delete;

  StringId id() const { return id_; }

 private:
  Recorder& recorder_;
  const StringId id_;
};

}  // namespace graphtap::record
