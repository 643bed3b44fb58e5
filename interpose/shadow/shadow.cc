// A shadow's life: planned, made when the first sampled launch is due, given up, ended; and the
// changes of the job that it follows.
#include "interpose/shadow/shadow.h"

#include <algorithm>
#include <utility>

#include "interpose/probe/entered.h"
#include "interpose/shadow/shadows.h"

namespace graphtap::shadow {
namespace {

// What the driver needs for one node of a clone, in host memory.
constexpr std::uint64_t kCloneNodeBytes = 2048;

// Due replays that go by between two attempts at most, where the budget has no room.
constexpr std::uint64_t kMostSkipped = 1024;

// A whole-graph update costs a clone: while more than one launch in so many follows an update, only
// those are mirrored that a due replay follows.
constexpr std::uint64_t kRareUpdates = 20;

}  // namespace

Shadow::Shadow(Shadows& owner, Shared& shared, probe::Device& device, Origin origin)
    : Probed(shared, device, std::move(origin)),
      owner_(owner),
      tools_{device.kernels(), device.context(), 0},
      mirror_(session_, shared.functions, shared.addresses, tools_) {}

Shadow::~Shadow() { OnDestroy(); }

std::optional<Skip> Shadow::Begin(CUgraph graph, record::GraphId id, const graph::GraphModel& model,
                                  const probe::Plan& plan, CUresult* error) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t bytes = model.nodes->size() * kCloneNodeBytes;
  if (!owner_.ReserveHost(bytes)) return Skip::host_budget;
  host_reserved_ = bytes;
  *error = mirror_.Take(graph, id, model);
  if (*error != CUDA_SUCCESS) return Skip::clone_failed;
  frees_seen_ = shared_.addresses.Frees();
  SetPlan(plan);
  return std::nullopt;
}

// `plan`: what the specification selects of the nodes as they are now.
void Shadow::SetPlan(probe::Plan plan) {
  observed_ = sites_.Define(mirror_.graph(), mirror_.nodes(), std::move(plan), mirror_.places());
  mirror_.SetPlan(observed_->layout.places);
  slots_->SetSlotBytes(observed_->layout.slot_bytes);
}

// Brings the shadow to what the executable is now. The context is entered, mutex_ held.
std::optional<Loss> Shadow::MakeReady() {
  if (off_) return off_;
  if (stale_) return Loss::mirror_stale;
  if (mirror_.Lost()) return Loss::mirror_failed;
  if (AnySiteGone()) mirror_.ForgetExtents();
  if (mirror_.NeedsPlan()) SetPlan(sites_.Select(origin_.key, mirror_.nodes()));
  if (observed_->plan.sites.empty()) return Loss::shadow_failed;  // of which nobody is told
  if (mirror_.shadow() == nullptr) return MakeShadow();
  const CUresult result = mirror_.BringUp(observed_, origin_.flags);
  if (result == CUDA_SUCCESS) return std::nullopt;
  return FailToMake(Skip::instantiate_failed, result);
}

std::optional<Loss> Shadow::MakeShadow() {
  if (dues_to_skip_ > 0) {
    --dues_to_skip_;
    return Loss::shadow_failed;
  }
  const std::uint64_t begin = session::Now();
  device_.Release(std::exchange(reserved_, 0));
  const std::uint64_t nodes = mirror_.nodes().size() + mirror_.places().size() + 1;
  if (!owner_.Reserve(device_, nodes * kExecutableNodeBytes, this)) {
    return FailToMake(Skip::device_budget, CUDA_SUCCESS);
  }
  reserved_ = nodes * kExecutableNodeBytes;
  const auto slots = [&] { return slots_->TakeCell() && slots_->Prepare(FirstSlots()); };
  if (!owner_.MakeRoom(device_, this, slots)) {
    return FailToMake(Skip::device_budget, CUDA_SUCCESS);
  }
  tools_.cell = slots_->cell();
  const CUresult result = mirror_.BringUp(observed_, origin_.flags);
  if (result != CUDA_SUCCESS) return FailToMake(Skip::instantiate_failed, result);
  record::Shadow made;
  made.executable = origin_.executable.number;
  made.sites = static_cast<std::uint32_t>(observed_->plan.sites.size());
  made.probes = static_cast<std::uint32_t>(mirror_.places().size() + 1);
  made.overlaps_lost = mirror_.overlaps_lost();
  made.device_bytes = reserved_;
  made.slot_bytes = observed_->layout.slot_bytes;
  next_skip_ = 1;
  made.time_ns = session::Now();
  made.duration_ns = made.time_ns - begin;
  session_.recorder().Append(made);
  return std::nullopt;
}

// A budget may have room later; what the driver refuses once, it is not asked again.
std::optional<Loss> Shadow::FailToMake(Skip why, CUresult error) {
  GiveUp();
  if (why == Skip::instantiate_failed) off_ = Loss::shadow_failed;
  // Others are not to give up their shadows for it again and again.
  next_skip_ = std::min(next_skip_ * 2, kMostSkipped);
  dues_to_skip_ = next_skip_;
  if (told_failure_) return Loss::shadow_failed;
  told_failure_ = true;
  record::Shadow failed;
  failed.executable = origin_.executable.number;
  failed.skip = static_cast<std::uint32_t>(why);
  failed.error = static_cast<std::uint32_t>(error);
  failed.time_ns = session::Now();
  session_.recorder().Append(failed);
  return Loss::shadow_failed;
}

void Shadow::GiveUp() noexcept {
  mirror_.DropShadow();
  slots_->Shrink();
  device_.Release(std::exchange(reserved_, 0));
}

std::optional<Loss> Shadow::Arm(probe::HeadArguments arguments, CUstream, CUgraphExec* instead) {
  if (mirror_.shadow() == nullptr) return Loss::mirror_failed;
  arguments.cell = reinterpret_cast<probe::Cell*>(tools_.cell);
  if (mirror_.SetHead(arguments) != CUDA_SUCCESS) return Loss::mirror_failed;
  *instead = mirror_.shadow();
  return std::nullopt;
}

bool Shadow::Evict() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || launching_ || mirror_.shadow() == nullptr) return false;
  GiveUp();
  return true;
}

void Shadow::OnParameters(std::uint32_t node, const record::NodeParameters& parameters,
                          const Apply& apply) {
  const std::lock_guard lock(mutex_);
  if (!stale_) mirror_.SetParameters(node, parameters, apply);
}

void Shadow::OnEnabled(std::uint32_t node, bool enabled) {
  const std::lock_guard lock(mutex_);
  mirror_.SetEnabled(node, enabled);
}

void Shadow::OnChild(std::uint32_t node, CUgraph child, const graph::GraphModel& model) {
  const std::lock_guard lock(mutex_);
  if (!stale_) mirror_.SetChild(node, child, model);
  LetGoOfUserObjects();
}

void Shadow::OnUpdate(CUgraph graph, const graph::GraphVersion& version,
                      const graph::GraphModel& model) {
  const std::uint64_t launches = origin_.executable.replays.count();
  const std::lock_guard lock(mutex_);
  ++updates_;
  const bool due = session_.settings().replays.Due(launches + 1);
  stale_ = !due && updates_ * kRareUpdates > launches;
  if (!stale_) mirror_.Take(graph, version.id(), model);
  LetGoOfUserObjects();
}

// The job's executable has let go of what the graph before held: its end may be waited for (by
// NCCL, for one), so the shadow must not hold it until its next launch.
void Shadow::LetGoOfUserObjects() noexcept {
  if (launching_ || !shared_.user_objects.load(std::memory_order_relaxed)) return;
  GiveUp();
  if (stale_) mirror_.ReleaseClones();
}

void Shadow::OnUnknownChange() noexcept {
  const std::lock_guard lock(mutex_);
  mirror_.LoseForGood();
}

// The clones hold references to the job's user objects.
void Shadow::Dissolve() {
  owner_.ReleaseHost(host_reserved_);
  if (device_.Dead()) return mirror_.Abandon();
  GiveUp();
  slots_->Close();
  mirror_.ReleaseClones();
}

}  // namespace graphtap::shadow
