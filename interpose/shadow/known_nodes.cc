#include "interpose/shadow/known_nodes.h"

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

// `now`: as a change of the node says it, which knows nothing of tensors.
bool SameOperands(const record::NodeParameters& known, const record::NodeParameters& now) {
  const bool same_function =
      !known.kernel || !now.kernel || known.kernel->function == now.kernel->function;
  const auto tensors =
      std::find_if(known.operands.begin(), known.operands.end(),
                   [](const auto& operand) { return operand.grade == record::Grade::kOp; });
  return same_function &&
         std::equal(known.operands.begin(), tensors, now.operands.begin(), now.operands.end(),
                    [](const record::Operand& x, const record::Operand& y) {
                      // Of copies and fills the node itself says how far they reach.
                      return x.role == y.role && x.parameter == y.parameter &&
                             x.offset == y.offset && x.address == y.address &&
                             (x.grade != record::Grade::kNode || x.extent == y.extent);
                    });
}

}  // namespace

void KnownNodes::Take(const graph::GraphModel& model) {
  nodes_ = *model.nodes;
  replan_ = true;
}

bool KnownNodes::SameStructure(const graph::GraphModel& model) const {
  return std::equal(nodes_.begin(), nodes_.end(), model.nodes->begin(), model.nodes->end(),
                    [](const auto& a, const auto& b) { return SamePlace(a, b, 0, {}); });
}

void KnownNodes::SetParameters(std::uint32_t node, const record::NodeParameters& parameters) {
  record::NodeParameters& known = nodes_[node].parameters;
  if (SameOperands(known, parameters)) return;
  std::vector<record::Attribute> attributes;
  if (known.kernel) attributes = std::move(known.kernel->attributes);
  known = parameters;
  if (known.kernel) known.kernel->attributes = std::move(attributes);
  replan_ = extents_old_ = true;
}

std::size_t KnownNodes::CountInside(std::uint32_t node) const {
  std::size_t end = node + 1;
  while (end < nodes_.size() && nodes_[end].parent && *nodes_[end].parent >= node) ++end;
  return end - node - 1;
}

bool KnownNodes::SameStructureInside(std::uint32_t node, const graph::GraphModel& child) const {
  const std::uint32_t first = node + 1;
  const auto inside = All().subspan(first, CountInside(node));
  return std::equal(inside.begin(), inside.end(), child.nodes->begin(), child.nodes->end(),
                    [&](const auto& a, const auto& b) { return SamePlace(a, b, first, node); });
}

void KnownNodes::SetInside(std::uint32_t node, const graph::GraphModel& child) {
  for (const record::Node& source : *child.nodes) {
    record::NodeParameters& known = nodes_[node + 1 + source.index].parameters;
    known = source.parameters;
    // They are of operators of the child's own list.
    std::erase_if(known.operands, [](const record::Operand& operand) {
      return operand.role == record::Role::kGradient;
    });
  }
  replan_ = extents_old_ = true;
}

bool KnownNodes::NeedsPlan() {
  if (extents_old_) SetExtents();
  extents_old_ = false;
  return replan_;
}

// A pointer that changed may have ended the site of another.
void KnownNodes::SetExtents() {
  std::vector<record::NodeParameters*> all;
  for (record::Node& node : nodes_) {
    all.push_back(&node.parameters);
    for (record::Operand& operand : node.parameters.operands) {
      using record::Grade;
      if (operand.grade == Grade::kNode || operand.grade == Grade::kOp) continue;
      if (operand.block != nullptr) continue;
      operand.extent = 0;
      operand.exact = false;
    }
  }
  graph::ParameterReader(session_, functions_, addresses_).SetExtents(all, true);
}

}  // namespace graphtap::shadow
