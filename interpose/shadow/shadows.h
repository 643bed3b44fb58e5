// Shadows: decides which executables get one, and shares out the budgets of memory. Owner: the
// observer. Threads: any. Failure: an executable whose graph cannot be probed has none; the record
// of its shadow says why. Units: bytes.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "interpose/shadow/shadow.h"

namespace graphtap::shadow {

class Shadows {
 public:
  Shadows(session::Session& session, graph::Graphs& graphs, graph::Functions& functions,
          const memory::AddressBook& addresses);

  // Is anything to be observed at all? Constant.
  bool Wanted() const noexcept { return wanted_; }

  // Opens what checks compare with. False: *error is one line.
  bool OpenReferences(std::string* error) { return shared_.actions.Open(error); }
  // On the drain's thread, when a failed check is to end the job. Before the first Make.
  void OnFailedCheck(std::function<void()> end) { shared_.drain.OnMustEnd(std::move(end)); }

  // After an instantiation, by its key and flags; nullptr: the executable gets no shadow.
  std::shared_ptr<Shadow> Make(const graph::ExecutableState& executable, const std::string& key,
                               CUgraph graph, const graph::GraphVersion& version,
                               const graph::GraphModel& model, std::uint64_t flags);

  // Room in the device's budget; others give up shadows that are not in use, the longest unused
  // first. False: there is none. The device's context is entered.
  bool Reserve(probe::Device& device, std::uint64_t bytes, const Shadow* for_whom);
  bool MakeRoom(probe::Device& device, const Shadow* for_whom, const std::function<bool()>& enough);
  bool ReserveHost(std::uint64_t bytes) noexcept;
  void ReleaseHost(std::uint64_t bytes) noexcept;

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
  // What has not arrived by now is lost.
  void CountUndrained() noexcept { shared_.drain.Finish(nullptr, {}); }

  // At exit: what is on its way arrives, and the shadows end.
  void Finish(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  static constexpr std::chrono::milliseconds kContextEndLimit{2000}, kStopGrace{100};
  static constexpr std::chrono::milliseconds kReleaseLimit{20};

  std::optional<Skip> FindContext(const graph::GraphModel& model, CUcontext* context) const;
  void RecordNone(std::uint32_t executable, Skip why, CUresult error);
  std::vector<probe::Device*> Of(CUdevice ordinal);
  void EndContexts(const std::vector<probe::Device*>& devices, bool still_there);
  std::vector<std::shared_ptr<Shadow>> All();

  Shared shared_;
  probe::Devices devices_;
  const bool wanted_;
  std::mutex mutex_;  // guards all below
  std::vector<std::weak_ptr<Shadow>> shadows_;
  std::uint64_t host_used_ = 0;
};

}  // namespace graphtap::shadow
