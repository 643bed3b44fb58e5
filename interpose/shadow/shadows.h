// Shadows: decides which executables get one, or probes in place, and shares out the budgets of
// memory. Owner: the observer. Threads: any. Failure: an executable whose graph cannot be probed
// has none; the record of its shadow says why. Units: bytes.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "interpose/shadow/in_place.h"
#include "interpose/shadow/shadow.h"

namespace graphtap::shadow {

// What the driver needs for one node of an executable, on the device.
inline constexpr std::uint64_t kExecutableNodeBytes = 2400;

// Does the driver have all calls that probing needs?
bool CanProbe(const driver::Calls& calls);

class Shadows {
 public:
  Shadows(session::Session& session, graph::Graphs& graphs, graph::Functions& functions,
          const memory::AddressBook& addresses);

  // Is anything to be observed at all, and in the job's own graphs? Constant.
  bool Wanted() const noexcept { return wanted_; }
  bool InPlaceWanted() const noexcept { return wanted_ && shared_.session.settings().in_place; }

  // Opens what checks compare with. False: *error is one line.
  bool OpenReferences(std::string* error) { return shared_.actions.Open(error); }
  // On the drain's thread, when a failed check is to end the job. Before the first Make.
  void OnFailedCheck(std::function<void()> end) { shared_.drain.OnMustEnd(std::move(end)); }

  // After an instantiation, by its key and flags; nullptr: the executable gets no shadow.
  std::shared_ptr<Probed> Make(const graph::ExecutableState& executable, const std::string& key,
                               CUgraph graph, const graph::GraphVersion& version,
                               const graph::GraphModel& model, std::uint64_t flags);

  // In place: around calls of the job, with the graph as it is now, without probes.
  // Before an instantiation: puts probes into a graph that cannot be cloned. False: there are none.
  bool BeforeInstantiate(CUgraph graph, const graph::GraphVersion& version,
                         const graph::GraphModel& model, std::uint64_t flags);
  // The instantiation failed: takes the probes out again. False: they have to stay.
  bool TakeOut(CUgraph graph, CUresult result);
  // Before an update of an executable with this companion, which may be null, where one of the two
  // has probes in place.
  bool IsInPlace(const graph::Companion* companion, CUgraph graph) const;
  void BeforeUpdate(graph::Companion* companion, CUgraph graph, const graph::GraphModel& model);
  void BeforeNodeDestroy(CUgraphNode node);
  std::shared_ptr<Graft> BeforeGraphDestroy(CUgraph graph) noexcept;
  void OnGraphDestroy(CUgraph graph, std::shared_ptr<Graft> graft, bool destroyed);

  // Room in the device's budget; others give up shadows that are not in use, the longest unused
  // first. False: there is none. The device's context is entered.
  bool Reserve(probe::Device& device, std::uint64_t bytes, const Probed* for_whom);
  bool MakeRoom(probe::Device& device, const Probed* for_whom, const std::function<bool()>& enough);
  bool ReserveHost(std::uint64_t bytes) noexcept;
  void ReleaseHost(std::uint64_t bytes) noexcept;

  // For probes outside of graphs: the device of the current context, ready for them. nullptr: there
  // can be none.
  probe::Device* Ready();
  Shared& shared() noexcept { return shared_; }

  // The job ties the lives of its own resources to graphs.
  void NoteUserObjects() noexcept { shared_.user_objects.store(true, std::memory_order_relaxed); }

  // Contexts end. A primary one is there until its last user has released it.
  void BeforeContextEnd(CUcontext context);
  void BeforePrimaryReset(CUdevice ordinal);
  void BeforePrimaryRelease(CUdevice ordinal);
  void AfterPrimaryRelease(CUdevice ordinal);

  // What is on its way arrives until then, or is lost.
  void Settle(std::chrono::steady_clock::time_point deadline) noexcept {
    shared_.drain.Finish(nullptr, deadline);
  }
  // At exit: the same, and the shadows end.
  void Finish(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  static constexpr std::chrono::milliseconds kContextEndLimit{2000}, kStopGrace{100};
  static constexpr std::chrono::milliseconds kReleaseLimit{20};

  // What BeforeInstantiate() left: with a graft, or why there is none.
  struct Preparation {
    InPlace::Planned planned;
    std::optional<Skip> why;
    CUresult error = CUDA_SUCCESS;
  };
  std::optional<Skip> Plant(CUgraph graph, const graph::GraphModel& model, probe::Plan plan,
                            SiteBook* book, Preparation* preparation);
  std::optional<Preparation> TakePreparation(CUgraph graph) noexcept;
  void Keep(const std::shared_ptr<Probed>& probed);
  std::optional<Skip> FindContext(const graph::GraphModel& model, CUcontext* context) const;
  void RecordNone(std::uint32_t executable, Skip why, CUresult error);
  std::vector<probe::Device*> Of(CUdevice ordinal);
  void EndContexts(const std::vector<probe::Device*>& devices, bool still_there);
  std::vector<std::shared_ptr<Probed>> All();

  Shared shared_;
  probe::Devices devices_;
  const bool wanted_;
  Grafts grafts_;
  std::mutex mutex_;                                       // guards all below
  std::unordered_map<CUgraph, Preparation> preparations_;  // of graphs that are being instantiated
  std::vector<std::weak_ptr<Probed>> probed_;
  std::uint64_t host_used_ = 0;
};

}  // namespace graphtap::shadow
