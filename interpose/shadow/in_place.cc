#include "interpose/shadow/in_place.h"

#include <algorithm>
#include <utility>

#include "interpose/probe/entered.h"

namespace graphtap::shadow {

InPlace::InPlace(Shared& shared, Origin origin, Planned planned)
    : Probed(shared, *planned.device, std::move(origin)),
      cell_(planned.cell),
      graft_(planned.graft),
      planned_(std::move(planned)),
      nodes_(session_, shared.functions, shared.addresses) {
  reserved_ = planned_.reserved;
  graft_->SetInUse(true);
}

InPlace::~InPlace() { OnDestroy(); }

void InPlace::Begin(record::GraphId id, const graph::GraphModel& model) {
  const std::lock_guard lock(mutex_);
  nodes_.Take(model);
  frees_seen_ = shared_.addresses.Frees();
  SetPlan(id, std::move(planned_.plan), std::move(planned_.places));
  applied_ = observed_;
  record::Shadow made;
  made.executable = origin_.executable.number;
  made.in_place = true;
  made.sites = static_cast<std::uint32_t>(observed_->plan.sites.size());
  made.probes = static_cast<std::uint32_t>(observed_->layout.places.size());
  made.overlaps_lost = graft_->overlaps_lost();
  made.device_bytes = reserved_;
  made.slot_bytes = observed_->layout.slot_bytes;
  made.time_ns = session::Now();
  session_.recorder().Append(made);
}

void InPlace::SetPlan(record::GraphId id, probe::Plan plan, std::vector<probe::ProbePlace> places) {
  graph_ = id;
  observed_ =
      sites_.Define(id, nodes_.All(), std::move(plan), std::move(places), probe::Stamps::kEach);
  nodes_.Planned();
  slots_->SetSlotBytes(observed_->layout.slot_bytes);
}

std::optional<Loss> InPlace::MakeReady() {
  if (off_) return off_;
  if (AnySiteGone()) {
    nodes_.ForgetExtents();
    Follow();
  }
  if (lost_) return Loss::in_place_lost;
  if (observed_->plan.sites.empty()) return Loss::in_place_lost;  // of which nobody is told
  return std::nullopt;
}

CUresult InPlace::LaunchHead(probe::HeadArguments arguments, CUstream stream) noexcept {
  arguments.cell = reinterpret_cast<probe::Cell*>(cell_->address());
  void* pointers[] = {&arguments};
  return session_.calls().launch_kernel(device_.kernels().head, 1, 1, 1, 1, 1, 1, 0, stream,
                                        pointers, nullptr);
}

std::optional<Loss> InPlace::Arm(probe::HeadArguments arguments, CUstream stream, CUgraphExec*) {
  if (LaunchHead(arguments, stream) == CUDA_SUCCESS) return std::nullopt;
  return Loss::shadow_launch_failed;
}

// A replay that is not sampled would write into a slot that is another's by then.
void InPlace::Disarm(CUstream stream) noexcept {
  const probe::Entered entered(session_.calls(), device_.context());
  constexpr unsigned kTries = 2;
  for (unsigned i = 0; i < kTries && entered; ++i) {
    if (LaunchHead({}, stream) == CUDA_SUCCESS) return;
  }
  cell_->Spoil();
  off_ = Loss::in_place_lost;
}

// Sets anew what the probes of the executable do, where it changed.
void InPlace::Follow() {
  if (lost_ || !nodes_.NeedsPlan()) return;
  lost_ = true;  // until all is done
  SetPlan(graph_, sites_.Select(origin_.key, nodes_.All(), Placement::kBeside),
          observed_->layout.places);
  for (std::uint32_t place = 0; place < observed_->layout.places.size(); ++place) {
    const auto before = probe::ArgumentsOf(applied_->layout, applied_->plan, place);
    auto arguments = probe::ArgumentsOf(observed_->layout, observed_->plan, place);
    const auto kernel = observed_->layout.places[place].kernel;
    if (std::ranges::equal(probe::Passed(before, kernel), probe::Passed(arguments, kernel))) {
      continue;
    }
    const CUgraphNode probe = graft_->ProbeAt(place);
    if (probe == nullptr) return;
    arguments.probe.cell = reinterpret_cast<const probe::Cell*>(cell_->address());
    void* pointers[] = {&arguments};
    const auto parameters = ProbeParameters(graft_->tools(), kernel, pointers);
    const auto set = session_.calls().executable_set_kernel;
    if (set(origin_.executable.handle, probe, &parameters) != CUDA_SUCCESS) return;
  }
  applied_ = observed_;
  lost_ = false;
}

void InPlace::OnParameters(std::uint32_t node, const record::NodeParameters& parameters,
                           const Apply&) {
  const std::lock_guard lock(mutex_);
  if (!nodes_.Has(node)) {
    lost_ = true;
    return;
  }
  nodes_.SetParameters(node, parameters);
  const probe::Entered entered(session_.calls(), device_.context());
  Follow();
}

// No probes are there, but pointers in it may end the sites of others.
void InPlace::OnChild(std::uint32_t node, CUgraph, const graph::GraphModel& model) {
  const std::lock_guard lock(mutex_);
  if (!nodes_.Has(node) || !nodes_.SameStructureInside(node, model)) {
    lost_ = true;
    return;
  }
  nodes_.SetInside(node, model);
  const probe::Entered entered(session_.calls(), device_.context());
  Follow();
}

void InPlace::BeforeUpdate(CUgraph graph, const graph::GraphModel& model, Graft* graft) {
  const std::lock_guard lock(mutex_);
  incoming_ = std::nullopt;
  if (!nodes_.SameStructure(model)) return;  // the driver refuses it, or pairs other nodes
  const probe::Entered entered(session_.calls(), device_.context());
  probe::Plan plan = sites_.Select(origin_.key, *model.nodes, Placement::kBeside);
  const auto layout = sites_.Lay(&plan, observed_->layout.places, probe::Stamps::kEach);
  if (graft->Plant(graph, model, layout, plan, cell_) != CUDA_SUCCESS) return;
  incoming_ = std::move(plan);
}

void InPlace::OnUpdate(CUgraph, const graph::GraphVersion& version,
                       const graph::GraphModel& model) {
  const std::lock_guard lock(mutex_);
  nodes_.Take(model);
  lost_ = !incoming_;
  if (lost_) return;
  SetPlan(version.id(), std::move(*incoming_), observed_->layout.places);
  applied_ = observed_;
  incoming_ = std::nullopt;
}

void InPlace::OnUnknownChange() noexcept {
  const std::lock_guard lock(mutex_);
  lost_ = true;
}

bool InPlace::Evict() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || launching_) return false;
  slots_->Shrink();
  return true;
}

void InPlace::Dissolve() {
  graft_->SetInUse(false);
  if (device_.Dead()) return;
  slots_->Close();
  device_.Release(std::exchange(reserved_, 0));
}

}  // namespace graphtap::shadow
