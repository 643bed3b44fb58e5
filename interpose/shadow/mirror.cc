#include "interpose/shadow/mirror.h"

#include <algorithm>
#include <utility>

namespace graphtap::shadow {
struct Mirror::Spliced {
  Spliced(const driver::Calls& calls, const ProbeTools& tools, std::unique_ptr<Clone> its_clone)
      : clone(std::move(its_clone)), splice(calls, tools, Placement::kBetween) {}

  std::unique_ptr<Clone> clone;
  Splice splice;
  bool inserted = false;
  std::shared_ptr<const probe::Observed> told;  // what its probes do
};

Mirror::Mirror(session::Session& session, graph::Functions& functions,
               const memory::AddressBook& addresses, const ProbeTools& tools)
    : session_(session), tools_(tools), nodes_(session, functions, addresses) {}

Mirror::~Mirror() { ReleaseClones(); }

void Mirror::ReleaseClones() noexcept {
  DropShadow();
  source_ = nullptr;
  children_.clear();
  Lose();
}

CUresult Mirror::Take(CUgraph graph, record::GraphId id, const graph::GraphModel& model) {
  Lose();  // until all is done
  CUresult result = CUDA_SUCCESS;
  auto clone = Clone::Make(session_.calls(), graph, model, &result);
  if (clone == nullptr) return result;
  const bool same = !std::exchange(taken_, true) || nodes_.SameStructure(model);
  source_ = std::make_shared<Spliced>(session_.calls(), tools_, std::move(clone));
  children_.clear();
  nodes_.Take(model);
  id_ = id;
  behind_ = true;
  if (!same) {
    // Which node of the executable is which of this graph, only the driver knows.
    paired_ = false;
    DropShadow();
    places_.clear();
  }
  lost_ = enabled_unknown_ || (!paired_ && !enabled_.empty());
  return result;
}

Mirror::Spliced* Mirror::HolderOf(std::uint32_t node, std::uint32_t* first) const {
  *first = 0;
  for (auto parent = nodes()[node].parent; parent; parent = nodes()[*parent].parent) {
    const auto found = children_.find(*parent);
    if (found == children_.end()) continue;
    *first = *parent + 1;
    return found->second.get();
  }
  return source_.get();
}

void Mirror::SetParameters(std::uint32_t node, const record::NodeParameters& parameters,
                           const graph::Companion::Apply& apply) {
  if (lost_ || !paired_ || !nodes_.Has(node)) return Lose();
  std::uint32_t first = 0;
  Lose();  // until all is done
  const Spliced* holder = HolderOf(node, &first);
  if (apply(holder->clone->node(node - first)) != CUDA_SUCCESS) return;
  behind_ = true;
  nodes_.SetParameters(node, parameters);
  lost_ = false;
}

void Mirror::SetChild(std::uint32_t node, CUgraph child, const graph::GraphModel& model) {
  if (lost_ || !paired_ || !nodes_.Has(node)) return Lose();
  Lose();  // until all is done
  CUresult result = CUDA_SUCCESS;
  const bool same = nodes_.SameStructureInside(node, model);
  auto clone = same ? Clone::Make(session_.calls(), child, model, &result) : nullptr;
  if (clone == nullptr) return;
  std::erase_if(children_, [&](const auto& entry) {
    return entry.first > node && entry.first <= node + nodes_.CountInside(node);
  });
  children_[node] = std::make_unique<Spliced>(session_.calls(), tools_, std::move(clone));
  nodes_.SetInside(node, model);
  behind_ = true;
  lost_ = false;
}

void Mirror::SetEnabled(std::uint32_t node, bool enabled) {
  if (!paired_ || !nodes_.Has(node)) return LoseForGood();
  enabled_[node] = enabled;
  enabled_behind_[node] = enabled;
  behind_ = true;
}

void Mirror::SetPlan(std::vector<probe::ProbePlace> places) {
  places_ = std::move(places);
  nodes_.Planned();
}

CUresult Mirror::BringUp(const std::shared_ptr<const probe::Observed>& observed,
                         std::uint64_t flags) {
  behind_ = behind_ || observed != applied_;
  if (shadow_ != nullptr && !behind_) return CUDA_SUCCESS;
  CUresult result = Insert(observed);
  if (result != CUDA_SUCCESS) return result;
  if (shadow_ != nullptr) {
    result = Update();
    if (result != CUDA_SUCCESS) DropShadow();  // made anew from the mirror
  }
  if (shadow_ == nullptr) result = Instantiate(flags);
  if (result != CUDA_SUCCESS) {
    DropShadow();
    return result;
  }
  behind_ = false;
  applied_ = observed;
  return CUDA_SUCCESS;
}

// Puts the probes in where they are not, and tells them what to do.
CUresult Mirror::Insert(const std::shared_ptr<const probe::Observed>& observed) {
  Lose();  // until all is done: half a splice is of no use
  CUresult result = InsertInto(source_.get(), std::nullopt, observed);
  for (auto& [node, child] : children_) {
    if (result == CUDA_SUCCESS) result = InsertInto(child.get(), node, observed);
  }
  lost_ = result != CUDA_SUCCESS;
  return result;
}

// `child`: the node whose contents these are; none: the whole graph.
CUresult Mirror::InsertInto(Spliced* spliced, std::optional<std::uint32_t> child,
                            const std::shared_ptr<const probe::Observed>& observed) {
  const auto& places = observed->layout.places;
  CUresult result = CUDA_SUCCESS;
  if (!std::exchange(spliced->inserted, true)) {
    result = child ? spliced->splice.IntoChild(spliced->clone->nodes(), places, *child + 1)
                   : spliced->splice.Into(spliced->clone->nodes(), places);
  }
  if (result != CUDA_SUCCESS || spliced->told == observed) return result;
  result = spliced->splice.SetArguments(observed->layout, observed->plan);
  if (result == CUDA_SUCCESS) spliced->told = observed;
  return result;
}

CUresult Mirror::Instantiate(std::uint64_t flags) {
  const auto& calls = session_.calls();
  CUresult result = calls.instantiate(&shadow_, source_->clone->graph(), flags);
  if (result != CUDA_SUCCESS) {
    shadow_ = nullptr;
    return result;
  }
  base_ = source_;
  result = ApplyChildren();
  return result == CUDA_SUCCESS ? ApplyEnabled(enabled_) : result;
}

CUresult Mirror::Update() {
  CUgraphExecUpdateResultInfo info{};
  CUresult result = session_.calls().executable_update(shadow_, source_->clone->graph(), &info);
  if (result == CUDA_SUCCESS) result = ApplyChildren();
  return result == CUDA_SUCCESS ? ApplyEnabled(enabled_behind_) : result;
}

CUresult Mirror::ApplyChildren() {
  for (const auto& [node, child] : children_) {
    const CUresult result = session_.calls().executable_set_child(shadow_, base_->clone->node(node),
                                                                  child->clone->graph());
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult Mirror::ApplyEnabled(const std::map<std::uint32_t, bool>& states) {
  for (const auto& [node, enabled] : states) {
    const CUresult result =
        session_.calls().executable_enable(shadow_, base_->clone->node(node), enabled ? 1 : 0);
    if (result != CUDA_SUCCESS) return result;
  }
  enabled_behind_.clear();
  return CUDA_SUCCESS;
}

CUresult Mirror::SetHead(probe::HeadArguments arguments) {
  void* pointers[] = {&arguments};
  const auto parameters = HeadParameters(tools_, pointers);
  return session_.calls().executable_set_kernel(shadow_, base_->splice.head(), &parameters);
}

void Mirror::DropShadow() noexcept {
  if (shadow_ != nullptr) session_.calls().executable_destroy(shadow_);
  shadow_ = nullptr;
  base_ = nullptr;
  applied_ = nullptr;
}

void Mirror::Abandon() noexcept {
  // Their context is gone: the driver would stumble over the handles.
  shadow_ = nullptr;
  for (auto* spliced : {&base_, &source_}) {
    if (*spliced != nullptr) (*spliced)->clone->Abandon();
  }
  for (auto& [node, child] : children_) child->clone->Abandon();
  Lose();
}

std::uint32_t Mirror::overlaps_lost() const { return source_->splice.overlaps_lost(); }

}  // namespace graphtap::shadow
