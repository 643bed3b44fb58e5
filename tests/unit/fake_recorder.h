// Fake recorder: keeps what is observed, and takes everything else without a word. Owner: the test.
// Threads: one. Failure: none. Units: bytes.
#pragma once

#include <map>
#include <vector>

#include "interpose/record/recorder.h"

namespace graphtap::record {

class FakeRecorder : public Recorder {
 public:
  struct Piece {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
  };
  std::vector<Observation> observations;
  std::map<PayloadId, std::vector<Piece>> payloads;

  void Append(const Observation& observation) noexcept override {
    observations.push_back(observation);
  }
  PayloadId NextPayload() noexcept override { return PayloadId{next_payload_++}; }
  void AppendPiece(PayloadId payload, std::uint64_t offset,
                   std::span<const std::byte> bytes) noexcept override {
    payloads[payload].push_back({offset, {bytes.begin(), bytes.end()}});
  }

  StringId Intern(std::string_view) noexcept override { return {}; }
  StringId DefineText(std::string_view) noexcept override { return {}; }
  void Retire(StringId) noexcept override {}
  FunctionId Define(const Function&) noexcept override { return {}; }
  GraphId Define(const Graph&, std::shared_ptr<GraphContents>) noexcept override { return {}; }
  StackId Define(const Stack&) noexcept override { return {}; }
  ThreadId Define(const Thread&) noexcept override { return {}; }
  StreamId Define(const Stream&) noexcept override { return {}; }
  void Define(const Executable&) noexcept override {}
  SiteId Define(const Site&) noexcept override { return {}; }
  void Retire(GraphId) noexcept override {}
  void Retire(StreamId) noexcept override {}
  void Retire(SiteId) noexcept override {}
  void RetireExecutable(std::uint32_t) noexcept override {}
  void Append(const Capture&) noexcept override {}
  void Append(const Update&) noexcept override {}
  void Append(const Replay&) noexcept override {}
  void Append(const ReplayRange&) noexcept override {}
  void Append(const Message&) noexcept override {}
  void Append(const Shadow&) noexcept override {}
  void Append(const Refusal&) noexcept override {}
  void Append(const End&) noexcept override {}
  void Append(const CheckFailure&) noexcept override {}
  void Append(std::span<const AllocatorEvent>) noexcept override {}
  void Append(const AllocatorState&) noexcept override {}
  void Append(const Point&) noexcept override {}
  void Append(const DeviceMemory&) noexcept override {}
  void Append(const ParameterPointer&) noexcept override {}
  void Append(const CompiledRegion&) noexcept override {}
  void Append(const CompiledFile&) noexcept override {}
  void Count(Loss, std::uint64_t) noexcept override {}
  void Count(std::uint32_t, RuleCount, std::uint64_t) noexcept override {}
  bool Finish(const End&, std::chrono::milliseconds) noexcept override { return true; }
  void RequestFinish(const End&) noexcept override {}
  bool Ended() const noexcept override { return true; }
  std::uint64_t AskFlush() noexcept override { return 0; }
  bool Flushed(std::uint64_t) const noexcept override { return true; }
  void WriteNow() noexcept override {}
  void AskCollect() noexcept override {}

 private:
  std::uint64_t next_payload_ = 70;
};

}  // namespace graphtap::record
