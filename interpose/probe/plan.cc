#include "interpose/probe/plan.h"

#include <algorithm>
#include <array>

#include "interpose/record/op_records.h"
#include "proto/names/names.h"
#include "proto/operator_node.h"
#include "proto/spec/match.h"
#include "proto/spec/operand.h"

namespace graphtap::probe {
namespace {

// CUgraphNodeType, CUlaunchAttributeID and CUgraphInstantiate_flags, which are carried as numbers.
enum NodeKind : std::uint32_t {
  kKernel = 0,
  kMemcpy = 1,
  kMemset = 2,
  kMemoryAllocation = 10,
  kMemoryFree = 11,
  kConditional = 13,
};
constexpr std::uint32_t kDeviceUpdatable = 13;
constexpr std::uint64_t kDeviceLaunch = 4;

const char* KindName(std::uint32_t kind) {
  switch (kind) {
    case kKernel:
      return "kernel";
    case kMemcpy:
      return "memcpy";
    case kMemset:
      return "memset";
    case kOperatorNode:
      return kOperatorNodeName;
    default:
      return "";
  }
}

bool HasSites(std::uint32_t kind) { return KindName(kind)[0] != '\0'; }

std::string LabelOf(std::uint32_t kind, const spec::NodeFacts& facts) {
  return kind == kKernel ? std::string(facts.kernel_short) : KindName(kind);
}

// ".arg3+0x18"
std::string OperandText(const PlannedSite& site) {
  using Kind = spec::OperandName::Kind;
  spec::OperandName name;
  constexpr auto kKinds = std::to_array<Kind>({Kind::kArgument, Kind::kDestination, Kind::kSource,
                                               Kind::kOutput, Kind::kInput, Kind::kGradient});
  name.kind = kKinds[static_cast<std::size_t>(site.role)];
  name.index = site.parameter.value_or(0);
  name.offset = site.offset;
  return '.' + spec::Text(name);
}

// "17", "20/4": the positions from the outermost level inwards.
std::string Path(std::span<const record::Node> nodes, std::uint32_t index) {
  const record::Node& node = nodes[index];
  const std::string position = std::to_string(node.position);
  return node.parent ? Path(nodes, *node.parent) + "/" + position : position;
}

spec::OperandRole RoleOf(record::Role role) {
  using Role = spec::OperandRole;
  constexpr auto kRoles = std::to_array<Role>({Role::kArgument, Role::kDestination, Role::kSource,
                                               Role::kOutput, Role::kInput, Role::kGradient});
  return kRoles[static_cast<std::size_t>(role)];
}

// What the node itself names, what its operator gave or wrote, or a gradient.
enum class Sort : std::uint8_t { kNode, kOp, kGradient };

Sort SortOf(record::Role role) {
  if (role == record::Role::kGradient) return Sort::kGradient;
  const bool of_op = role == record::Role::kOutput || role == record::Role::kInput;
  return of_op ? Sort::kOp : Sort::kNode;
}

class Planner {
 public:
  Planner(const spec::Specification& specification, std::span<const record::Node> nodes,
          const PlanSource& source)
      : specification_(specification), nodes_(nodes), source_(source) {}

  Plan Run(std::size_t first) {
    for (const record::Node& node : nodes_.subspan(first)) PlanNode(node);
    return std::move(plan_);
  }

 private:
  void PlanNode(const record::Node& node) {
    const std::uint32_t kind = node.parameters.kind;
    if (!HasSites(kind)) return;
    spec::NodeFacts facts;
    facts.kind = KindName(kind);
    if (node.parameters.kernel) {
      const KernelNames& names = source_.kernel(node.parameters.kernel->function);
      facts.kernel_mangled = names.mangled;
      facts.kernel_demangled = names.demangled;
      facts.kernel_short = names.brief;
    }
    const std::string scope = Text(node.scope);
    facts.scope = scope;
    const std::vector<std::string> ops = OpsOf(node);
    const std::vector<std::string_view> op_views(ops.begin(), ops.end());
    facts.ops = op_views;
    facts.op_has_tensors = node.op && !OpOf(node).tensors.empty();
    names::NodeNamer::Name name = namer_.Next(scope, LabelOf(kind, facts));
    const std::string place = source_.graph_key + "/" + Path(nodes_, node.index);
    facts.place = place;
    const std::size_t first = plan_.sites.size();
    const auto& operands = node.parameters.operands;
    for (std::uint32_t i = 0; i < operands.size(); ++i) PlanOperand(node, facts, i, first);
    for (std::size_t i = first; i < plan_.sites.size(); ++i) Watch(node, name, &plan_.sites[i]);
  }

  std::string Text(std::optional<record::StringId> id) const {
    return id ? source_.text(*id) : std::string();
  }

  static const record::Op& OpOf(const record::Node& node) { return (*node.ops)[*node.op]; }

  // Of the operator that added the node, and of those around it, outwards.
  std::vector<std::string> OpsOf(const record::Node& node) const {
    std::vector<std::string> names;
    for (auto op = node.op; op; op = (*node.ops)[*op].parent) {
      names.push_back(source_.text((*node.ops)[*op].name));
    }
    return names;
  }

  // Of a gradient.
  static const record::Gradient& GradientOf(const record::Node& node,
                                            const record::Operand& operand) {
    return *(*node.ops)[*operand.op].gradient;
  }

  // As observations are named; `by_node`: by what the node itself names.
  names::NodeNamer::Name NameOf(const record::Node& node, const names::NodeNamer::Name& by_node,
                                const PlannedSite& site) const {
    switch (SortOf(site.role)) {
      case Sort::kNode:
        return by_node;
      case Sort::kOp: {
        const record::Op& op = OpOf(node);
        return {names::InScope(Text(op.scope), source_.text(op.name)), op.invocation};
      }
      case Sort::kGradient: {
        const auto& gradient = GradientOf(node, node.parameters.operands[site.operand]);
        return {names::InScope(Text(gradient.scope), source_.text(gradient.names.front())),
                gradient.invocation};
      }
    }
    return by_node;
  }

  // What is printed or checked is hashed too, so that what is kept of it tells of all of it.
  void Watch(const record::Node& node, const names::NodeNamer::Name& by_node, PlannedSite* site) {
    const bool watched =
        std::any_of(site->rules.begin(), site->rules.end(), [&](std::uint32_t rule) {
          const auto& actions = specification_.rules[rule].actions;
          return std::any_of(actions.begin(), actions.end(), [](const spec::Action& action) {
            return action.kind == spec::ActionKind::kPrint ||
                   action.kind == spec::ActionKind::kCheck;
          });
        });
    if (!watched) return;
    site->hash = true;
    const auto name = NameOf(node, by_node, *site);
    site->watched = source_.watch(name.text + OperandText(*site), name.invocation);
    site->whole = source_.needs_bytes(*site->watched, site->rules);
  }

  // `first`: where the sites of this node begin.
  void PlanOperand(const record::Node& node, const spec::NodeFacts& facts, std::uint32_t index,
                   std::size_t first) {
    const record::Operand& operand = node.parameters.operands[index];
    PlannedSite site;
    site.node = node.index;
    site.operand = index;
    site.role = operand.role;
    site.parameter = operand.parameter;
    site.offset = operand.offset;
    site.address = operand.address;
    site.bytes = operand.extent;
    site.exact = operand.exact;
    if (!AddRules(node, facts, operand, &site)) return;
    auto shape = ShapeOfOperand(operand);
    if (!shape) return Refuse(site, Skip::site_strided);
    site.shape = *std::move(shape);
    // Two arguments may name one place: it is observed once, as may two tensors. An operator's
    // tensor has another name and type than the argument of the kernel, and each backward node's
    // gradient another name.
    for (std::size_t i = first; i < plan_.sites.size(); ++i) {
      PlannedSite& other = plan_.sites[i];
      if (other.address != site.address || other.bytes != site.bytes) continue;
      if (other.shape != site.shape) continue;
      if (SortOf(other.role) != SortOf(site.role)) continue;
      if (node.parameters.operands[other.operand].op != operand.op) continue;
      Merge(site, &other);
      return;
    }
    if (site.bytes == 0) return Refuse(site, Skip::site_unknown_extent);
    if (!Reaches(&site)) return Refuse(site, Skip::site_unreachable);
    site.copy_bytes = std::min(site.copy_bytes, site.bytes);
    if (SortOf(operand.role) != Sort::kNode) {
      site.dtype = DtypeOf(operand.dtype.value_or(0));
    } else if (operand.parameter && !operand.offset && node.parameters.kernel) {
      site.dtype = names::ParameterDtype(facts.kernel_demangled, *operand.parameter);
    }
    plan_.sites.push_back(std::move(site));
  }

  // nullopt: it does not lie in C order, and no probe can read it.
  static std::optional<Shape> ShapeOfOperand(const record::Operand& operand) {
    if (!operand.strided.value_or(false)) return Shape{};
    return operand.tensor == nullptr ? std::nullopt : ShapeOf(*operand.tensor);
  }

  // Whether there is memory behind the node. A site that has no gaps ends where it does.
  bool Reaches(PlannedSite* site) const {
    const Memory memory = site->memory();
    const auto graph_bytes = source_.graph_bytes(site->node, memory.address);
    if (!graph_bytes) return source_.readable(memory.address, memory.bytes);
    if (site->strided()) return memory.bytes <= *graph_bytes;
    site->bytes = std::min(site->bytes, *graph_bytes);
    return *graph_bytes > 0;
  }

  // Adds up what the rules want of the operand; false: nothing, or a rule takes it out.
  bool AddRules(const record::Node& node, const spec::NodeFacts& facts,
                const record::Operand& operand, PlannedSite* site) {
    std::vector<std::string> names;
    if (operand.role == record::Role::kGradient) {
      for (const auto name : GradientOf(node, operand).names) names.push_back(source_.text(name));
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const spec::OperandFacts named{RoleOf(operand.role), operand.parameter, operand.offset, views};
    for (std::uint32_t r = 0; r < specification_.rules.size(); ++r) {
      const spec::Rule& rule = specification_.rules[r];
      const bool selected =
          std::any_of(rule.selectors.begin(), rule.selectors.end(),
                      [&](const auto& selector) { return spec::Selects(selector, facts, named); });
      if (!selected) continue;
      if (rule.none) return false;
      site->rules.push_back(r);
      for (const spec::Action& action : rule.actions) AddAction(action, site);
    }
    return !site->rules.empty();
  }

  static void AddAction(const spec::Action& action, PlannedSite* site) {
    if (action.kind == spec::ActionKind::kHash) site->hash = true;
    if (action.kind == spec::ActionKind::kDigest) site->digest = true;
    if (action.kind != spec::ActionKind::kCopy) return;
    const std::uint64_t wanted = action.number == 0 ? UINT64_MAX : action.number;
    site->copy_bytes = std::max(site->copy_bytes, wanted);
  }

  static void Merge(const PlannedSite& from, PlannedSite* to) {
    to->hash |= from.hash;
    to->digest |= from.digest;
    to->copy_bytes = std::max(to->copy_bytes, std::min(from.copy_bytes, to->bytes));
    for (const std::uint32_t rule : from.rules) {
      if (std::find(to->rules.begin(), to->rules.end(), rule) == to->rules.end()) {
        to->rules.push_back(rule);
      }
    }
  }

  void Refuse(const PlannedSite& site, Skip reason) {
    plan_.refused.push_back({site.node, site.operand, site.bytes, reason, site.rules});
  }

  const spec::Specification& specification_;
  std::span<const record::Node> nodes_;
  const PlanSource& source_;
  names::NodeNamer namer_;
  Plan plan_;
};

}  // namespace

Plan MakePlan(const spec::Specification& specification, std::span<const record::Node> nodes,
              const PlanSource& source, std::size_t first) {
  return Planner(specification, nodes, source).Run(first);
}

std::optional<Skip> WhyUnprobed(std::span<const record::Node> nodes, std::uint64_t flags) {
  if ((flags & kDeviceLaunch) != 0) return Skip::device_launch;
  for (const record::Node& node : nodes) {
    if (!node.parameters.kernel) continue;
    for (const record::Attribute& attribute : node.parameters.kernel->attributes) {
      if (attribute.id == kDeviceUpdatable) return Skip::device_updatable;
    }
  }
  return std::nullopt;
}

std::optional<Skip> WhyUncloned(std::span<const record::Node> nodes, std::uint64_t flags) {
  if (const auto why = WhyUnprobed(nodes, flags)) return why;
  for (const record::Node& node : nodes) {
    const std::uint32_t kind = node.parameters.kind;
    if (kind == kMemoryAllocation || kind == kMemoryFree) return Skip::allocation_nodes;
    if (kind == kConditional) return Skip::conditional_nodes;
  }
  return std::nullopt;
}

}  // namespace graphtap::probe
