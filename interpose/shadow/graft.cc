#include "interpose/shadow/graft.h"

#include <utility>

namespace graphtap::shadow {

std::shared_ptr<OwnedCell> OwnedCell::Make(probe::Device& device) {
  const auto address = device.TakeCell();
  if (!address) return nullptr;
  return std::shared_ptr<OwnedCell>(new OwnedCell(device, *address));
}

OwnedCell::~OwnedCell() {
  if (!spoiled_.load() && !device_.Dead()) device_.ReturnCell(address_);
}

Graft::Graft(const driver::Calls& calls, graph::OwnNodes& own, probe::Device& device,
             bool removable)
    : own_(own),
      tools_{device.kernels(), device.context(), 0},
      splice_(calls, tools_, Placement::kBeside),
      removable_(removable) {}

Graft::~Graft() {
  if (gone_.load()) return;
  for (const auto& [level, nodes] : levels_) own_.Forget(level);
}

void Graft::TellOwn() {
  const auto before = std::exchange(levels_, splice_.Levels());
  for (const auto& [level, nodes] : before) {
    if (!levels_.contains(level)) own_.Forget(level);
  }
  for (const auto& [level, nodes] : levels_) own_.Tell(level, nodes);
}

CUresult Graft::Plant(CUgraph graph, const graph::GraphModel& model, const probe::Layout& layout,
                      const probe::Plan& plan, std::shared_ptr<OwnedCell> cell) {
  tools_.cell = cell->address();
  nodes_ = {model.handles.begin(), model.handles.end()};
  CUresult result = splice_.Into({graph, model.handles, model.levels}, layout.places);
  TellOwn();
  splice_.ForgetArguments();
  if (result == CUDA_SUCCESS) result = splice_.SetArguments(layout, plan);
  if (result == CUDA_SUCCESS) {
    cell_ = std::move(cell);
  } else if (Silence() != CUDA_SUCCESS) {
    cell->Spoil();  // some are told of it
  }
  return result;
}

CUresult Graft::Silence() {
  const CUresult result = splice_.Silence();
  if (result == CUDA_SUCCESS) cell_ = nullptr;
  return result;
}

bool Graft::TakeOut() {
  if (!removable_) return false;
  const bool out = splice_.TakeOut(0) == CUDA_SUCCESS;
  TellOwn();
  if (out) cell_ = nullptr;
  return out;
}

CUgraphNode Graft::ProbeAt(std::uint32_t place) const {
  return gone_.load() ? nullptr : splice_.ProbeAt(place);
}

// Its handles may be others' afterwards.
void Graft::Leave(bool leaves) noexcept {
  gone_.store(leaves);
  for (const auto& [level, nodes] : levels_) {
    if (leaves) own_.Forget(level);
  }
  if (leaves) return;
  try {
    TellOwn();
  } catch (...) {
    // Out of memory: they pass for the job's.
  }
}

void Graft::NodeLeaves(CUgraphNode node) {
  if (!splice_.Forget(node)) {
    TakeOut();
  } else {
    TellOwn();
  }
}

std::shared_ptr<Graft> Grafts::Find(CUgraph graph) const {
  const std::lock_guard lock(mutex_);
  const auto found = grafts_.find(graph);
  return found == grafts_.end() ? nullptr : found->second;
}

void Grafts::Add(CUgraph graph, std::shared_ptr<Graft> graft) {
  const std::lock_guard lock(mutex_);
  grafts_[graph] = std::move(graft);
}

void Grafts::NodeLeaves(CUgraphNode node) {
  std::shared_ptr<Graft> graft;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [graph, its] : grafts_) {
      if (its->Has(node)) graft = its;
    }
  }
  if (graft != nullptr) graft->NodeLeaves(node);
}

std::shared_ptr<Graft> Grafts::Take(CUgraph graph) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = grafts_.find(graph);
  if (found == grafts_.end()) return nullptr;
  auto graft = std::move(found->second);
  grafts_.erase(found);
  return graft;
}

}  // namespace graphtap::shadow
