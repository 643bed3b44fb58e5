#include "interpose/shadow/site_book.h"

#include <algorithm>

#include "proto/names/names.h"

namespace graphtap::shadow {
namespace {

bool InsideChild(std::span<const record::Node> nodes, std::uint32_t index) {
  for (auto parent = nodes[index].parent; parent; parent = nodes[*parent].parent) {
    if (nodes[*parent].parameters.kind == CU_GRAPH_NODE_TYPE_GRAPH) return true;
  }
  return false;
}

void RefuseInsideChildren(std::span<const record::Node> nodes, probe::Plan* plan) {
  std::vector<probe::PlannedSite> kept;
  for (probe::PlannedSite& site : plan->sites) {
    if (!InsideChild(nodes, site.node)) {
      kept.push_back(std::move(site));
      continue;
    }
    plan->refused.push_back(
        {site.node, site.operand, site.bytes, Skip::inside_child, std::move(site.rules)});
  }
  plan->sites = std::move(kept);
}

}  // namespace

const probe::KernelNames& KernelNameCache::Of(record::FunctionId function) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(function);
  if (found != names_.end()) return found->second;
  probe::KernelNames names;
  names.mangled = functions_.NameOf(function);
  names.demangled = names::Demangle(names.mangled);
  // What is not mangled is its own short name.
  names.brief =
      names.demangled == names.mangled ? names.mangled : names::ShortName(names.demangled);
  return names_.emplace(function, std::move(names)).first->second;
}

SiteBook::~SiteBook() {
  if (latest_ == nullptr) return;
  for (const record::SiteId site : latest_->sites) session_.recorder().Retire(site);
}

// Of one allocation, and the driver lets kernels of this context at both ends.
bool SiteBook::Readable(std::uint64_t address, std::uint64_t bytes) const {
  const auto& calls = session_.calls();
  const std::uint64_t end = address + bytes;
  auto known = addresses_.Find(address);
  // Reserved addresses may be mapped in pieces.
  while (known && known->mapping && known->end() < end) known = addresses_.Find(known->end());
  if (known && known->end() < end) return false;
  if (!known && calls.address_range != nullptr) {
    CUdeviceptr base = 0;
    std::size_t size = 0;
    const CUresult result = calls.address_range(&base, &size, address);
    if (result != CUDA_SUCCESS || base + size < end) return false;
  }
  for (const std::uint64_t at : {address, end - 1}) {
    CUdeviceptr seen = 0;
    if (calls.pointer_attribute == nullptr) break;
    const CUresult result = calls.pointer_attribute(&seen, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, at);
    if (result != CUDA_SUCCESS || seen != at) return false;
  }
  return true;
}

// Of memory that is not there yet the driver tells no more.
bool SiteBook::OnOtherDevice(std::uint64_t address) const {
  const auto& calls = session_.calls();
  CUdevice own = 0;
  int device = 0;
  if (calls.context_device == nullptr || calls.pointer_attribute == nullptr) return false;
  const bool told = calls.context_device(&own) == CUDA_SUCCESS &&
                    calls.pointer_attribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                            address) == CUDA_SUCCESS;
  return told && device != own;
}

probe::GraphMemory SiteBook::MemoryOf(std::span<const record::Node> nodes) const {
  return {nodes, [this](std::uint64_t address) -> std::uint64_t {
            CUdeviceptr base = 0;
            std::size_t size = 0;
            const auto ask = session_.calls().address_range;
            const bool told = ask != nullptr && ask(&base, &size, address) == CUDA_SUCCESS;
            return told ? base + size - address : 0;
          }};
}

bool SiteBook::StillThere(const probe::PlannedSite& site) {
  const auto [address, bytes] = site.memory();
  const auto graph_bytes = graph_memory_.BytesAt(site.node, address);
  if (graph_bytes) return bytes <= *graph_bytes;
  const auto allocation = addresses_.Find(address);
  if (allocation && address + bytes <= allocation->end()) return true;
  return Readable(address, bytes);
}

probe::PlanSource SiteBook::SourceOf(const std::string& graph_key) {
  probe::PlanSource source;
  source.graph_key = graph_key;
  source.kernel = [this](record::FunctionId id) -> const probe::KernelNames& {
    return names_.Of(id);
  };
  source.text = [this](record::StringId id) { return graphs_.NameText(id); };
  source.readable = [this](std::uint64_t address, std::uint64_t bytes) {
    return Readable(address, bytes);
  };
  source.watch = [this, graph_key](const std::string& name, std::uint32_t invocation) {
    values::Watched watched{graph_key, name, invocation};
    auto& known = watched_[watched.Label()];
    if (known == nullptr) known = std::make_shared<values::Watched>(std::move(watched));
    return known;
  };
  source.needs_bytes = [this](const values::Watched& watched, const auto& rules) {
    return actions_.WantsBytes(watched, rules);
  };
  source.graph_bytes = [](std::uint32_t, std::uint64_t) { return std::nullopt; };
  return source;
}

probe::Plan SiteBook::Select(const std::string& graph_key, std::span<const record::Node> nodes,
                             Placement placement) {
  probe::GraphMemory memory = MemoryOf(nodes);
  probe::PlanSource source = SourceOf(graph_key);
  source.graph_bytes = [&](std::uint32_t node, std::uint64_t address) {
    const auto bytes = memory.BytesAt(node, address);
    return bytes && OnOtherDevice(address) ? std::optional<std::uint64_t>(0) : bytes;
  };
  auto plan = probe::MakePlan(session_.settings().specification, nodes, source);
  if (placement == Placement::kBeside) RefuseInsideChildren(nodes, &plan);
  return plan;
}

probe::Plan SiteBook::SelectLast(const std::string& graph_key,
                                 std::span<const record::Node> nodes) {
  probe::PlanSource source = SourceOf(graph_key);
  // What another device does may not be done when this one's stream is there.
  source.readable = [this](std::uint64_t address, std::uint64_t bytes) {
    return Readable(address, bytes) && !OnOtherDevice(address);
  };
  return probe::MakePlan(session_.settings().specification, nodes, source, nodes.size() - 1);
}

probe::Layout SiteBook::Lay(probe::Plan* plan, std::vector<probe::ProbePlace> places,
                            probe::Stamps stamps) {
  const std::uint64_t most = MostSlotBytes();
  if (places.empty()) return probe::MakeLayout(plan, most, stamps);
  return probe::MakeLayout(plan, std::move(places), most, stamps);
}

std::shared_ptr<const probe::Observed> SiteBook::Define(record::GraphId graph,
                                                        std::span<const record::Node> nodes,
                                                        probe::Plan plan,
                                                        std::vector<probe::ProbePlace> places,
                                                        probe::Stamps stamps) {
  auto layout = Lay(&plan, std::move(places), stamps);
  return DefineLaid(graph, nodes, std::move(plan), std::move(layout));
}

std::shared_ptr<const probe::Observed> SiteBook::DefineLaid(record::GraphId graph,
                                                            std::span<const record::Node> nodes,
                                                            probe::Plan plan,
                                                            probe::Layout layout) {
  auto observed = std::make_shared<probe::Observed>();
  observed->executable = executable_;
  observed->layout = std::move(layout);
  RuleCounts planned, refused;
  std::vector<bool> kept(latest_ == nullptr ? 0 : latest_->sites.size());
  std::size_t old = 0;
  for (const probe::PlannedSite& site : plan.sites) {
    if (site.watched != nullptr) watched_.try_emplace(site.watched->Label(), site.watched);
    for (const std::uint32_t rule : site.rules) ++planned[rule];
    // Both lists are in the order of nodes and operands.
    const auto before = [&](const probe::PlannedSite& other) {
      return std::tie(other.node, other.operand) < std::tie(site.node, site.operand);
    };
    while (old < kept.size() && before(latest_->plan.sites[old])) ++old;
    if (old < kept.size() && graph == graph_ && latest_->plan.sites[old] == site) {
      kept[old] = true;
      observed->sites.push_back(latest_->sites[old]);
    } else {
      observed->sites.push_back(DefineSite(graph, nodes[site.node], site));
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) session_.recorder().Retire(latest_->sites[i]);
  }
  for (const auto& site : plan.refused) {
    for (const std::uint32_t rule : site.rules) ++refused[rule];
  }
  RecordRefusals(graph, nodes, plan.refused);
  observed->rules.assign(planned.begin(), planned.end());
  RuleCounts requested = planned;
  for (const auto& [rule, count] : refused) requested[rule] += count;
  CountGrowth(record::RuleCount::kRequested, requested);
  CountGrowth(record::RuleCount::kPlanned, planned);
  CountGrowth(record::RuleCount::kRefused, refused);
  observed->plan = std::move(plan);
  graph_ = graph;
  graph_memory_ = MemoryOf(nodes);
  latest_ = observed;
  return observed;
}

record::SiteId SiteBook::DefineSite(record::GraphId graph, const record::Node& node,
                                    const probe::PlannedSite& site) {
  const record::Operand& operand = node.parameters.operands[site.operand];
  record::Site definition;
  definition.executable = executable_;
  definition.graph = graph;
  definition.node = site.node;
  definition.role = operand.role;
  definition.parameter = operand.parameter;
  definition.offset = operand.offset;
  definition.address = site.address;
  definition.bytes = site.bytes;
  definition.exact = site.exact;
  definition.grade = operand.grade;
  definition.dtype = static_cast<std::uint32_t>(site.dtype);
  definition.hash = site.hash;
  definition.digest = site.digest;
  definition.copy = site.copy_bytes > 0;
  definition.copy_bytes = site.copy_bytes;
  definition.rules = site.rules;
  definition.op = operand.op;
  return session_.recorder().Define(definition);
}

void SiteBook::RecordRefusals(record::GraphId graph, std::span<const record::Node> nodes,
                              const std::vector<probe::RefusedSite>& refused) {
  for (const probe::RefusedSite& site : refused) {
    if (!told_.insert({site.node, site.operand, site.reason}).second) continue;
    const record::Operand& operand = nodes[site.node].parameters.operands[site.operand];
    record::Refusal refusal;
    refusal.executable = executable_;
    refusal.graph = graph;
    refusal.node = site.node;
    refusal.role = operand.role;
    refusal.parameter = operand.parameter;
    refusal.offset = operand.offset;
    refusal.bytes = site.bytes;
    refusal.reason = static_cast<std::uint32_t>(site.reason);
    refusal.rules = site.rules;
    refusal.op = operand.op;
    session_.recorder().Append(refusal);
  }
}

// A job that updates its graphs plans the same sites again and again.
void SiteBook::CountGrowth(record::RuleCount what, const RuleCounts& now) {
  RuleCounts& most = counted_[what];
  for (const auto& [rule, count] : now) {
    if (count <= most[rule]) continue;
    session_.recorder().Count(rule, what, count - most[rule]);
    most[rule] = count;
  }
}

}  // namespace graphtap::shadow
