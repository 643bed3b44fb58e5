// Probed executable: one of the job's whose sampled replays leave values in slots. How the probes
// learn of the slot, and what is launched, is up to the kind: a shadow, or probes in the job's own
// graph. Owner: the executable's state. Threads: any: launches and changes come as the job makes
// them. Failure: a replay that cannot be sampled is launched as the job wanted, and counted; when
// the probes cannot go on, all are. Units: replays, nanoseconds.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "interpose/graph/executables.h"
#include "interpose/probe/drain.h"
#include "interpose/shadow/launch_order.h"
#include "interpose/shadow/launch_ticket.h"
#include "interpose/shadow/site_book.h"
#include "interpose/shadow/splice.h"

namespace graphtap::shadow {

// What the probed executables of a process share.
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

class Probed : public graph::Companion {
 public:
  struct Origin {
    const graph::ExecutableState& executable;
    std::string key;          // of the graph
    std::uint64_t flags = 0;  // that it was instantiated with
  };

  // Around each launch.
  void BeforeLaunch(const session::StreamRef& stream, LaunchTicket* ticket) noexcept;
  // What was launched in the executable's place failed: the job's executable is to be launched.
  void OnRefused(LaunchTicket* ticket) noexcept;
  // `number`: of the replay; 0: it could not be counted.
  void AfterLaunch(const session::StreamRef& stream, LaunchTicket* ticket, CUresult result,
                   std::uint64_t number) noexcept;

  void OnDestroy() final;
  // At exit: as OnDestroy, unless a launch is on its way.
  void End();

  // For others that need the memory: gives up what is not in use now. False: it is in use.
  virtual bool Evict() noexcept = 0;
  std::uint64_t last_launch_ns() const noexcept { return last_launch_ns_.load(); }
  probe::Device& device() const noexcept { return device_; }

 protected:
  Probed(Shared& shared, probe::Device& device, Origin origin);

  // Of these, each is called with mutex_ held.
  // Brings the probes to what the executable is now. The context is entered.
  virtual std::optional<Loss> MakeReady() = 0;
  // Tells the probes of the slot; *instead: what is to be launched, if not the executable.
  virtual std::optional<Loss> Arm(probe::HeadArguments arguments, CUstream stream,
                                  CUgraphExec* instead) = 0;
  // Behind each launch that Arm() was called for, whether it succeeded or not.
  virtual void Disarm(CUstream stream) noexcept = 0;
  // The executable, or its context, is gone.
  virtual void Dissolve() = 0;

  // Whether a plan may read memory that the job has freed since.
  bool AnySiteGone();
  // Of each of a few replays in a row, but no large share of the budget at once.
  std::size_t FirstSlots() const;

  Shared& shared_;
  session::Session& session_;
  probe::Device& device_;
  const Origin origin_;
  std::shared_ptr<probe::SlotSet> slots_;

  std::mutex mutex_;  // guards all below
  SiteBook sites_;
  std::shared_ptr<const probe::Observed> observed_;
  std::optional<Loss> off_;       // why no replay is sampled any more
  bool launching_ = false;        // a sampled launch is on its way
  std::uint64_t reserved_ = 0;    // bytes of the device's budget
  std::uint64_t frees_seen_ = 0;  // of the address book

 private:
  std::optional<Loss> Prepare(const session::StreamRef& stream, LaunchTicket* ticket);
  probe::Replay ReplayOf(const LaunchTicket& ticket, std::uint64_t number);
  void FollowProbed(CUstream stream, LaunchTicket* ticket, CUresult launched, std::uint64_t number);
  CUevent RecordPlain(CUstream stream) noexcept;
  void Wait(CUstream stream, CUevent event) noexcept;
  bool Capturing(CUstream stream) const noexcept;
  std::optional<Loss> WhyUnusable(CUstream stream) const noexcept;
  bool AwaitStream(CUstream stream) noexcept;
  std::chrono::milliseconds WaitLimit() const noexcept;

  LaunchOrder order_;
  std::atomic<std::uint64_t> last_launch_ns_{0};
  std::atomic<bool> gone_{false};  // the executable or the context is
  CUevent plain_event_ = nullptr;  // mutex_
};

}  // namespace graphtap::shadow
