// Step probes: what observes the values of one step: a slot of its own and probes, each launched
// behind its operator, on that operator's stream. Owner: the step. Threads: one at a time.
// Failure: what cannot be observed is refused, with the reason; a step whose probes cannot be
// launched is lost. May throw bad_alloc. Units: bytes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpose/shadow/shadows.h"

namespace graphtap::eager {

class StepProbes {
 public:
  // `number`: of the step among those of its executable, whose sites are in `book`. `least_bytes`:
  // that the step before needed.
  StepProbes(shadow::Shadows& shadows, shadow::SiteBook& book, std::string key,
             std::uint32_t executable, std::uint64_t number, std::uint64_t least_bytes);

  // What is selected of the last one of `nodes`; its operator is launched on `stream`.
  void Observe(std::span<const record::Node> nodes, const session::StreamRef& stream);

  // Streams of the job are about to be captured: what was launched on them so far is waited for
  // elsewhere.
  void JoinAll();
  // A stream of the job is about to be destroyed.
  void OnStreamDestroy(const session::StreamRef& stream);

  // Nothing more is observed, as sites of `graph`, whose nodes are these; `latest`: the one before.
  void End(record::GraphId graph, std::optional<record::GraphId> latest,
           std::span<const record::Node> nodes, record::ThreadId thread);
  // That of the first operator; nullptr: none had anything to be observed.
  const probe::Device* device() const { return device_; }

  // Of a slot, so far.
  std::uint64_t bytes() const { return layout_.slot_bytes; }
  // Whether anything was to be observed.
  bool Any() const { return !plan_.sites.empty() || !plan_.refused.empty(); }

 private:
  std::optional<Skip> Prepare(CUcontext context);
  bool TakeSlot();
  bool Capturing(CUstream stream) const;
  void Launch(std::size_t first, const session::StreamRef& stream);
  bool LaunchHead(CUstream stream);
  bool LaunchProbe(std::uint32_t place, CUstream stream);
  bool RecordEvent();
  void Join(const session::StreamRef& stream);

  shadow::Shadows& shadows_;
  session::Session& session_;
  shadow::SiteBook& book_;
  const std::string key_;
  const std::uint32_t executable_;
  const std::uint64_t number_, least_bytes_;
  const std::uint64_t begin_ns_;
  probe::Device* device_ = nullptr;  // that of the first operator
  std::shared_ptr<probe::SlotSet> slots_;
  probe::Slot* slot_ = nullptr;
  shadow::ProbeTools tools_;
  std::vector<session::StreamRef> streams_;  // that have probes
  std::optional<record::StreamId> first_stream_;
  probe::Plan plan_;
  probe::Layout layout_;
  std::optional<Loss> lost_;
  // The device's own stream waits for some of the job's; for one it could not be made to.
  bool joined_ = false, astray_ = false;
};

}  // namespace graphtap::eager
