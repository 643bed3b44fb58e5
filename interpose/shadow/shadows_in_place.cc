// Probes in graphs of the job's own: around the calls in which it makes, updates and destroys them.
#include <utility>

#include "interpose/probe/entered.h"
#include "interpose/shadow/shadows.h"

namespace graphtap::shadow {
namespace {

bool HasAllocationNodes(const graph::GraphModel& model) {
  return probe::WhyUncloned(*model.nodes, 0) == Skip::allocation_nodes;
}

}  // namespace

bool Shadows::BeforeInstantiate(CUgraph graph, const graph::GraphVersion& version,
                                const graph::GraphModel& model, std::uint64_t flags) {
  TakePreparation(graph);  // of an instantiation whose end was not seen
  const auto known = grafts_.Find(graph);
  if (known != nullptr && known->in_use()) return false;  // the driver makes no second one
  const auto& calls = shared_.session.calls();
  if (known != nullptr) known->Silence();
  const bool in_place = shared_.session.changes_kernels().empty() && CanProbe(calls) &&
                        !probe::WhyUnprobed(*model.nodes, flags) &&
                        probe::WhyUncloned(*model.nodes, flags);
  if (!in_place) return false;
  CUcontext context = nullptr;
  if (FindContext(model, &context)) return false;
  const probe::Entered entered(calls, context);
  SiteBook book(shared_.session, shared_.graphs, shared_.addresses, shared_.names, shared_.actions,
                0);
  auto plan = book.Select(shared_.graphs.ExpectedExecutableKey(graph, version), *model.nodes,
                          Placement::kBeside);
  if (plan.sites.empty()) return false;
  Preparation preparation;
  preparation.why = entered ? Plant(graph, model, std::move(plan), &book, &preparation)
                            : std::optional(Skip::no_probe_kernels);
  const bool planted = !preparation.why;
  const std::lock_guard lock(mutex_);
  preparations_.insert_or_assign(graph, std::move(preparation));
  return planted;
}

std::optional<Skip> Shadows::Plant(CUgraph graph, const graph::GraphModel& model, probe::Plan plan,
                                   SiteBook* book, Preparation* preparation) {
  InPlace::Planned& planned = preparation->planned;
  planned.device = devices_.Current(&preparation->error);
  if (planned.device == nullptr || !shared_.drain.Start()) return Skip::no_probe_kernels;
  probe::Device& device = *planned.device;
  const auto layout = book->Lay(&plan, {}, probe::Stamps::kEach);
  const std::uint64_t bytes = layout.places.size() * kExecutableNodeBytes;
  if (!Reserve(device, bytes, nullptr)) return Skip::device_budget;
  planned.cell = OwnedCell::Make(device);
  auto graft = grafts_.Find(graph);
  if (graft == nullptr) {
    graft = std::make_shared<Graft>(shared_.session.calls(), shared_.graphs.own_nodes(), device,
                                    !HasAllocationNodes(model));
    grafts_.Add(graph, graft);
  }
  if (planned.cell != nullptr) {
    preparation->error = graft->Plant(graph, model, layout, plan, planned.cell);
  }
  if (planned.cell == nullptr || preparation->error != CUDA_SUCCESS) {
    device.Release(bytes);
    graft->TakeOut();
    return planned.cell == nullptr ? Skip::device_budget : Skip::graft_failed;
  }
  planned.reserved = bytes;
  planned.graft = std::move(graft);
  planned.plan = std::move(plan);
  planned.places = layout.places;
  return std::nullopt;
}

std::optional<Shadows::Preparation> Shadows::TakePreparation(CUgraph graph) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = preparations_.find(graph);
  if (found == preparations_.end()) return std::nullopt;
  std::optional<Preparation> preparation(std::move(found->second));
  preparations_.erase(found);
  return preparation;
}

bool Shadows::TakeOut(CUgraph graph, CUresult result) {
  const auto preparation = TakePreparation(graph);
  if (!preparation || preparation->why) return false;
  const InPlace::Planned& planned = preparation->planned;
  planned.device->Release(planned.reserved);
  if (planned.graft->TakeOut()) return true;
  // The driver removes nothing from a graph with allocation nodes.
  planned.graft->Silence();
  shared_.session.Say(MessageCode::in_place_refused,
                      "error " + std::to_string(static_cast<unsigned>(result)));
  return false;
}

bool Shadows::IsInPlace(const graph::Companion* companion, CUgraph graph) const {
  return dynamic_cast<const InPlace*>(companion) != nullptr || grafts_.Find(graph) != nullptr;
}

void Shadows::BeforeUpdate(graph::Companion* companion, CUgraph graph,
                           const graph::GraphModel& model) {
  auto graft = grafts_.Find(graph);
  auto* in_place = dynamic_cast<InPlace*>(companion);
  if (in_place == nullptr) {
    // Its executable has no probes: the graph must have none either.
    if (graft != nullptr) graft->TakeOut();
    return;
  }
  if (graft == nullptr) {
    graft = std::make_shared<Graft>(shared_.session.calls(), shared_.graphs.own_nodes(),
                                    in_place->device(), !HasAllocationNodes(model));
    grafts_.Add(graph, graft);
  }
  in_place->BeforeUpdate(graph, model, graft.get());
}

void Shadows::BeforeNodeDestroy(CUgraphNode node) { grafts_.NodeLeaves(node); }

std::shared_ptr<Graft> Shadows::BeforeGraphDestroy(CUgraph graph) noexcept {
  auto graft = grafts_.Take(graph);
  TakePreparation(graph);
  if (graft != nullptr) graft->Leave(true);
  return graft;
}

void Shadows::OnGraphDestroy(CUgraph graph, std::shared_ptr<Graft> graft, bool destroyed) {
  if (graft == nullptr || destroyed) return;
  graft->Leave(false);
  grafts_.Add(graph, std::move(graft));
}

}  // namespace graphtap::shadow
