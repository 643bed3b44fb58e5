// In place: an executable whose probes are in the job's own graph, beside its nodes, because the
// driver lets nobody clone that graph. They run in every replay; a sampled one is told its slot by
// a head kernel that is launched right before it on the same stream, and untold right behind it.
// Owner: the executable's state. Threads: any: launches and changes come as the job makes them.
// Failure: as a probed executable's. What the job changes is followed while its graph, whose nodes
// name those of the executable, is there. Units: bytes.
#pragma once

#include "interpose/shadow/graft.h"
#include "interpose/shadow/known_nodes.h"
#include "interpose/shadow/probed.h"

namespace graphtap::shadow {

class InPlace final : public Probed {
 public:
  // Of a graph that is to be made executable.
  struct Planned {
    std::shared_ptr<Graft> graft;
    std::shared_ptr<OwnedCell> cell;
    probe::Device* device = nullptr;
    probe::Plan plan;  // as laid out
    std::vector<probe::ProbePlace> places;
    std::uint64_t reserved = 0;  // of the device's budget
  };

  InPlace(Shared& shared, Origin origin, Planned planned);
  ~InPlace() override;

  // The executable was made of the graph with the probes.
  void Begin(record::GraphId id, const graph::GraphModel& model);

  // The job is about to update the executable to `graph`, whose probes are `graft`'s: puts the same
  // probes there.
  void BeforeUpdate(CUgraph graph, const graph::GraphModel& model, Graft* graft);

  // graph::Companion.
  void OnParameters(std::uint32_t node, const record::NodeParameters& parameters,
                    const Apply& apply) override;
  void OnEnabled(std::uint32_t, bool) override {}  // the probes go on
  void OnChild(std::uint32_t node, CUgraph child, const graph::GraphModel& model) override;
  void OnUpdate(CUgraph graph, const graph::GraphVersion& version,
                const graph::GraphModel& model) override;
  void OnUnknownChange() noexcept override;

  bool Evict() noexcept override;

 private:
  std::optional<Loss> MakeReady() override;
  std::optional<Loss> Arm(probe::HeadArguments arguments, CUstream stream,
                          CUgraphExec* instead) override;
  void Disarm(CUstream stream) noexcept override;
  void Dissolve() override;

  CUresult LaunchHead(probe::HeadArguments arguments, CUstream stream) noexcept;
  void SetPlan(record::GraphId id, probe::Plan plan, std::vector<probe::ProbePlace> places);
  void Follow();

  const std::shared_ptr<OwnedCell> cell_;

  // Guarded by mutex_.
  std::shared_ptr<Graft> graft_;  // of the graph that the executable was made of
  Planned planned_;               // before Begin()
  KnownNodes nodes_;
  record::GraphId graph_{};
  std::shared_ptr<const probe::Observed> applied_;  // what the executable's probes do
  std::optional<probe::Plan> incoming_;             // of the update that is being made
  bool lost_ = false;                               // a change could not be followed
};

}  // namespace graphtap::shadow
