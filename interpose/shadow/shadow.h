// Shadow: the second executable of a graph that the job made executable, with probes in it. A
// sampled replay launches it in the executable's place; it is made when the first is due.
// Owner: the executable's state. Threads: any: launches and changes come as the job makes them.
// Failure: a replay that cannot be sampled is launched as the job wanted, and counted; when the
// shadow cannot go on, all are. Units: bytes.
#pragma once

#include "interpose/shadow/mirror.h"
#include "interpose/shadow/probed.h"

namespace graphtap::shadow {

class Shadows;

class Shadow final : public Probed {
 public:
  Shadow(Shadows& owner, Shared& shared, probe::Device& device, Origin origin);
  ~Shadow() override;

  // Clones the graph, of which `plan` is to be observed. Otherwise: why it cannot be, and what the
  // driver said.
  std::optional<Skip> Begin(CUgraph graph, record::GraphId id, const graph::GraphModel& model,
                            const probe::Plan& plan, CUresult* error);

  // graph::Companion.
  void OnParameters(std::uint32_t node, const record::NodeParameters& parameters,
                    const Apply& apply) override;
  void OnEnabled(std::uint32_t node, bool enabled) override;
  void OnChild(std::uint32_t node, CUgraph child, const graph::GraphModel& model) override;
  void OnUpdate(CUgraph graph, const graph::GraphVersion& version,
                const graph::GraphModel& model) override;
  void OnUnknownChange() noexcept override;

  bool Evict() noexcept override;

 private:
  std::optional<Loss> MakeReady() override;
  std::optional<Loss> Arm(probe::HeadArguments arguments, CUstream stream,
                          CUgraphExec* instead) override;
  void Disarm(CUstream) noexcept override {}
  void Dissolve() override;
  std::optional<Loss> MakeShadow();
  std::optional<Loss> FailToMake(Skip why, CUresult error);
  void SetPlan(probe::Plan plan);
  void GiveUp() noexcept;
  void LetGoOfUserObjects() noexcept;

  Shadows& owner_;

  // Guarded by mutex_.
  ProbeTools tools_;
  Mirror mirror_;
  bool stale_ = false;         // an update of the job was not mirrored
  bool told_failure_ = false;  // the record of the failure is in the file
  std::uint64_t updates_ = 0;
  std::uint64_t dues_to_skip_ = 0, next_skip_ = 1;  // before the next attempt to make one
  std::uint64_t host_reserved_ = 0;                 // bytes of host memory for the clones
};

}  // namespace graphtap::shadow
