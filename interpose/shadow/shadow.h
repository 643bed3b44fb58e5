// Shadow: the second executable of a graph that the job made executable, with probes in it. A
// sampled replay launches it in the executable's place; it is made when the first is due.
// Owner: the executable's state. Threads: any: launches and changes come as the job makes them.
// Failure: a replay that cannot be sampled is launched as the job wanted, and counted; when the
// shadow cannot go on, all are. Units: replays, nanoseconds.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "interpose/graph/executables.h"
#include "interpose/probe/drain.h"
#include "interpose/shadow/launch_order.h"
#include "interpose/shadow/launch_ticket.h"
#include "interpose/shadow/mirror.h"
#include "interpose/shadow/site_book.h"

namespace graphtap::shadow {

// What the shadows of a process share.
struct Shared {
  session::Session& session;
  graph::Graphs& graphs;
  graph::Functions& functions;
  const memory::AddressBook& addresses;
  KernelNameCache names;
  values::Actions actions;
  probe::Drain drain;
  std::atomic<bool> user_objects{false};  // does any graph of the job hold one?
};

class Shadows;

class Shadow final : public graph::Companion {
 public:
  struct Origin {
    const graph::ExecutableState& executable;
    std::string key;          // of the graph
    std::uint64_t flags = 0;  // that it was instantiated with
  };
  Shadow(Shadows& owner, Shared& shared, probe::Device& device, Origin origin);
  ~Shadow() override;

  // Clones the graph, of which `plan` is to be observed. Otherwise: why it cannot be, and what the
  // driver said.
  std::optional<Skip> Begin(CUgraph graph, record::GraphId id, const graph::GraphModel& model,
                            const probe::Plan& plan, CUresult* error);

  // Around each launch.
  void BeforeLaunch(session::StreamRef stream, LaunchTicket* ticket) noexcept;
  // The shadow's launch failed: the job's executable is to be launched.
  void OnRefused(LaunchTicket* ticket) noexcept;
  // `number`: of the replay; 0: it could not be counted.
  void AfterLaunch(session::StreamRef stream, LaunchTicket* ticket, CUresult result,
                   std::uint64_t number) noexcept;

  // graph::Companion.
  void OnParameters(std::uint32_t node, const record::NodeParameters& parameters,
                    const Apply& apply) override;
  void OnEnabled(std::uint32_t node, bool enabled) override;
  void OnChild(std::uint32_t node, CUgraph child, const graph::GraphModel& model) override;
  void OnUpdate(CUgraph graph, const graph::GraphVersion& version,
                const graph::GraphModel& model) override;
  void OnUnknownChange() noexcept override;
  void OnDestroy() override;

  // At exit: as OnDestroy, unless a launch is on its way.
  void End();

  // For others that need the memory: gives up what is not in use now. False: it is in use.
  bool Evict() noexcept;
  std::uint64_t last_launch_ns() const noexcept { return last_launch_ns_.load(); }
  probe::Device& device() const noexcept { return device_; }

 private:
  std::optional<Loss> Prepare(LaunchTicket* ticket);
  std::optional<Loss> MakeReady();
  std::optional<Loss> MakeShadow();
  std::optional<Loss> FailToMake(Skip why, CUresult error);
  void SetPlan(probe::Plan plan);
  void GiveUp() noexcept;
  void LetGoOfUserObjects() noexcept;
  void Dissolve();
  std::size_t FirstSlots() const;
  bool AnySiteGone() const;
  probe::Replay ReplayOf(const LaunchTicket& ticket, std::uint64_t number);
  void FollowProbed(CUstream stream, LaunchTicket* ticket, std::uint64_t number);
  CUevent RecordPlain(CUstream stream) noexcept;
  void Wait(CUstream stream, CUevent event) noexcept;
  bool Capturing(CUstream stream) const noexcept;
  std::optional<Loss> WhyUnusable(CUstream stream) const noexcept;
  bool AwaitStream(CUstream stream) noexcept;
  std::chrono::milliseconds WaitLimit() const noexcept;

  Shadows& owner_;
  Shared& shared_;
  session::Session& session_;
  probe::Device& device_;
  const Origin origin_;
  ProbeTools tools_;
  LaunchOrder order_;
  std::shared_ptr<probe::SlotSet> slots_;
  std::atomic<std::uint64_t> last_launch_ns_{0};
  std::atomic<bool> gone_{false};  // the executable or the context is

  std::mutex mutex_;  // guards all below
  SiteBook sites_;
  Mirror mirror_;
  std::shared_ptr<const probe::Observed> observed_;
  std::optional<Loss> off_;    // why there will be no shadow any more
  bool stale_ = false;         // an update of the job was not mirrored
  bool launching_ = false;     // a launch of the shadow is on its way
  bool told_failure_ = false;  // the record of the failure is in the file
  std::uint64_t updates_ = 0;
  std::uint64_t dues_to_skip_ = 0, next_skip_ = 1;  // before the next attempt to make one
  std::uint64_t reserved_ = 0;                      // bytes of the device's budget
  std::uint64_t host_reserved_ = 0;                 // bytes of host memory for the clones
  std::uint64_t frees_seen_ = 0;                    // of the address book
  CUevent plain_event_ = nullptr;
};

}  // namespace graphtap::shadow
