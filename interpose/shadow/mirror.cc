#include "interpose/shadow/mirror.h"

#include <algorithm>
#include <utility>

namespace graphtap::shadow {
namespace {

bool SameDependency(const record::Dependency& a, const record::Dependency& b) {
  return a.from == b.from && a.from_port == b.from_port && a.to_port == b.to_port &&
         a.type == b.type;
}

// The driver pairs the nodes of two graphs by their edges; where these and the order of the nodes
// are equal, equal indices are pairs. `shift`: how far b's indices are behind a's.
bool SamePlace(const record::Node& a, const record::Node& b, std::uint32_t shift,
               std::optional<std::uint32_t> parent_of_b) {
  const auto parent = b.parent ? std::optional(*b.parent + shift) : parent_of_b;
  return a.parameters.kind == b.parameters.kind && a.parent == parent && a.body == b.body &&
         a.position == b.position &&
         std::equal(a.dependencies.begin(), a.dependencies.end(), b.dependencies.begin(),
                    b.dependencies.end(), SameDependency);
}

bool SameStructure(std::span<const record::Node> a, std::span<const record::Node> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return SamePlace(x, y, 0, {}); });
}

// The nodes inside node `index`, which stand behind it.
std::span<const record::Node> Inside(const std::vector<record::Node>& nodes, std::uint32_t index) {
  std::size_t end = index + 1;
  while (end < nodes.size() && nodes[end].parent && *nodes[end].parent >= index) ++end;
  return std::span(nodes).subspan(index + 1, end - index - 1);
}

bool SameOperands(const record::NodeParameters& a, const record::NodeParameters& b) {
  const bool same_function = !a.kernel || !b.kernel || a.kernel->function == b.kernel->function;
  return same_function &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    [](const record::Operand& x, const record::Operand& y) {
                      // Of copies and fills the node itself says how far they reach.
                      return x.role == y.role && x.parameter == y.parameter &&
                             x.offset == y.offset && x.address == y.address &&
                             (x.grade != record::Grade::kNode || x.extent == y.extent);
                    });
}

}  // namespace

struct Mirror::Spliced {
  Spliced(const driver::Calls& calls, const ProbeTools& tools, std::unique_ptr<Clone> its_clone)
      : clone(std::move(its_clone)), splice(calls, tools) {}

  std::unique_ptr<Clone> clone;
  Splice splice;
  bool inserted = false;
  std::shared_ptr<const probe::Observed> told;  // what its probes do
};

Mirror::Mirror(session::Session& session, graph::Functions& functions,
               const memory::AddressBook& addresses, const ProbeTools& tools)
    : session_(session), functions_(functions), addresses_(addresses), tools_(tools) {}

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
  const bool same = !std::exchange(taken_, true) || SameStructure(nodes_, model.nodes);
  source_ = std::make_shared<Spliced>(session_.calls(), tools_, std::move(clone));
  children_.clear();
  nodes_ = model.nodes;
  id_ = id;
  replan_ = behind_ = true;
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
  for (auto parent = nodes_[node].parent; parent; parent = nodes_[*parent].parent) {
    const auto found = children_.find(*parent);
    if (found == children_.end()) continue;
    *first = *parent + 1;
    return found->second.get();
  }
  return source_.get();
}

void Mirror::SetParameters(std::uint32_t node, const record::NodeParameters& parameters,
                           const graph::Companion::Apply& apply) {
  if (lost_ || !paired_ || node >= nodes_.size()) return Lose();
  std::uint32_t first = 0;
  Lose();  // until all is done
  const Spliced* holder = HolderOf(node, &first);
  if (apply(holder->clone->node(node - first)) != CUDA_SUCCESS) return;
  behind_ = true;
  record::NodeParameters& known = nodes_[node].parameters;
  if (SameOperands(known, parameters)) {
    lost_ = false;
    return;
  }
  std::vector<record::Attribute> attributes;
  if (known.kernel) attributes = std::move(known.kernel->attributes);
  known = parameters;
  if (known.kernel) known.kernel->attributes = std::move(attributes);
  replan_ = extents_old_ = true;
  lost_ = false;
}

void Mirror::SetChild(std::uint32_t node, CUgraph child, const graph::GraphModel& model) {
  if (lost_ || !paired_ || node >= nodes_.size()) return Lose();
  Lose();  // until all is done
  const auto inside = Inside(nodes_, node);
  const std::uint32_t first = node + 1;
  const bool same =
      std::equal(inside.begin(), inside.end(), model.nodes.begin(), model.nodes.end(),
                 [&](const auto& a, const auto& b) { return SamePlace(a, b, first, node); });
  CUresult result = CUDA_SUCCESS;
  auto clone = same ? Clone::Make(session_.calls(), child, model, &result) : nullptr;
  if (clone == nullptr) return;
  std::erase_if(children_, [&](const auto& entry) {
    return entry.first > node && entry.first <= node + inside.size();
  });
  children_[node] = std::make_unique<Spliced>(session_.calls(), tools_, std::move(clone));
  for (const record::Node& source : model.nodes) {
    nodes_[first + source.index].parameters = source.parameters;
  }
  behind_ = replan_ = extents_old_ = true;
  lost_ = false;
}

void Mirror::SetEnabled(std::uint32_t node, bool enabled) {
  if (!paired_ || node >= nodes_.size()) return LoseForGood();
  enabled_[node] = enabled;
  enabled_behind_[node] = enabled;
  behind_ = true;
}

bool Mirror::NeedsPlan() {
  if (extents_old_) SetExtents();
  extents_old_ = false;
  return replan_;
}

void Mirror::SetPlan(std::vector<probe::ProbePlace> places) {
  places_ = std::move(places);
  replan_ = false;
}

// A pointer that changed may have ended the site of another.
void Mirror::SetExtents() {
  std::vector<record::NodeParameters*> all;
  for (record::Node& node : nodes_) {
    all.push_back(&node.parameters);
    for (record::Operand& operand : node.parameters.operands) {
      if (operand.grade == record::Grade::kNode) continue;
      operand.extent = 0;
      operand.exact = false;
    }
  }
  graph::ParameterReader(session_, functions_, addresses_).SetExtents(all, true);
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
    result = child ? spliced->splice.IntoChild(*spliced->clone, places, *child + 1)
                   : spliced->splice.Into(*spliced->clone, places);
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
