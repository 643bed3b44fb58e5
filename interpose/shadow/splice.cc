#include "interpose/shadow/splice.h"

#include <algorithm>

namespace graphtap::shadow {
namespace {

// What a probe is told until there is a plan: no tensors.
probe::StridedArguments IdleArguments(const ProbeTools& tools) {
  probe::StridedArguments arguments{};
  arguments.probe.cell = reinterpret_cast<const probe::Cell*>(tools.cell);
  return arguments;
}

CUfunction FunctionOf(const ProbeTools& tools, probe::ProbeKernel kernel) {
  using Kernel = probe::ProbeKernel;
  if (kernel == Kernel::kStrided) return tools.kernels.strided;
  return kernel == Kernel::kDigest ? tools.kernels.digest : tools.kernels.hash;
}

bool IsPlain(const graph::Edge& edge) { return edge.data.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT; }

}  // namespace

CUDA_KERNEL_NODE_PARAMS_v2 ProbeParameters(const ProbeTools& tools, probe::ProbeKernel kernel,
                                           void** arguments) {
  const auto& told = *static_cast<const probe::StridedArguments*>(arguments[0]);
  CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
  parameters.func = FunctionOf(tools, kernel);
  parameters.gridDimX = std::max(told.probe.first_block[probe::kTensorsPerProbe], 1u);
  parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = probe::kProbeThreads;
  parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  parameters.ctx = tools.context;
  return parameters;
}

CUDA_KERNEL_NODE_PARAMS_v2 HeadParameters(const ProbeTools& tools, void** arguments) {
  CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
  parameters.func = tools.kernels.head;
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  parameters.ctx = tools.context;
  return parameters;
}

CUresult Splice::Into(const GraphNodes& graph, std::span<const probe::ProbePlace> places) {
  CUresult result = CUDA_SUCCESS;
  edges_.clear();  // the job may have added some since
  if (placement_ == Placement::kBetween) result = AddHead(graph);
  return result == CUDA_SUCCESS ? Insert(graph, places, 0) : result;
}

CUresult Splice::IntoChild(const GraphNodes& child, std::span<const probe::ProbePlace> places,
                           std::uint32_t first) {
  return Insert(child, places, first);
}

CUresult Splice::ReadEdges(CUgraph level) {
  if (edges_.contains(level)) return CUDA_SUCCESS;
  std::vector<graph::Edge> list;
  const CUresult result = graph::ListEdges(calls_, level, &list);
  if (result != CUDA_SUCCESS) return result;
  Edges& edges = edges_[level];
  for (const graph::Edge& edge : list) edges[edge.from].push_back(edge);
  return CUDA_SUCCESS;
}

CUresult Splice::AddHead(const GraphNodes& graph) {
  CUresult result = ReadEdges(graph.graph);
  if (result != CUDA_SUCCESS) return result;
  std::unordered_set<CUgraphNode> has_dependency;
  for (const auto& [from, edges] : edges_[graph.graph]) {
    for (const graph::Edge& edge : edges) has_dependency.insert(edge.to);
  }
  std::vector<CUgraphNode> roots;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.levels[i] != graph.graph || has_dependency.contains(graph.nodes[i])) continue;
    roots.push_back(graph.nodes[i]);
  }
  probe::HeadArguments arguments{};
  arguments.cell = reinterpret_cast<probe::Cell*>(tools_.cell);
  void* pointers[] = {&arguments};
  const auto parameters = HeadParameters(tools_, pointers);
  result = calls_.add_kernel_node(&head_, graph.graph, nullptr, 0, &parameters);
  if (result != CUDA_SUCCESS || roots.empty()) return result;
  const std::vector<CUgraphNode> heads(roots.size(), head_);
  return calls_.add_dependencies(graph.graph, heads.data(), roots.data(), roots.size());
}

CUresult Splice::Insert(const GraphNodes& graph, std::span<const probe::ProbePlace> places,
                        std::uint32_t first) {
  for (Probe& probe : probes_) probe.place = kNoPlace;
  CUgraphNode last = nullptr;
  unsigned ordinal = 0;
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const std::uint32_t index = places[i].node - first;
    if (places[i].node < first || index >= graph.nodes.size()) continue;
    const CUgraph level = graph.levels[index];
    const CUgraphNode node = graph.nodes[index];
    CUresult result = ReadEdges(level);
    if (result != CUDA_SUCCESS) return result;
    const bool begins = i == 0 || places[i - 1].node != places[i].node;
    ordinal = begins ? 0 : ordinal + 1;
    const auto [known, added] = index_.try_emplace({node, ordinal}, probes_.size());
    if (added) {
      Probe probe{i, level, node, ordinal, nullptr, places[i].kernel, std::nullopt};
      result = AddProbe(level, begins ? node : last, &probe);
      if (result != CUDA_SUCCESS) {
        index_.erase(known);
        return result;
      }
    }
    Probe& probe = probes_[known->second];
    probe.place = i;
    last = probe.node;
    const bool ends = i + 1 == places.size() || places[i + 1].node != places[i].node;
    if (ends) result = Join(level, node, last);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult Splice::AddProbe(CUgraph level, CUgraphNode after, Probe* probe) {
  probe::StridedArguments arguments = IdleArguments(tools_);
  void* pointers[] = {&arguments};
  const auto parameters = ProbeParameters(tools_, probe->kernel, pointers);
  const CUresult result = calls_.add_kernel_node(&probe->node, level, &after, 1, &parameters);
  if (result != CUDA_SUCCESS) return result;
  CopyPriority(probe->behind, probe->node);
  const auto passed = probe::Passed(arguments, probe->kernel);
  probe->arguments.emplace(passed.begin(), passed.end());
  own_.insert(probe->node);
  probes_.push_back(*probe);
  return CUDA_SUCCESS;
}

// Only kernels have a priority; what the driver refuses here changes no result.
void Splice::CopyPriority(CUgraphNode from, CUgraphNode to) {
  CUlaunchAttributeValue value{};
  if (calls_.kernel_attribute == nullptr || calls_.set_kernel_attribute == nullptr) return;
  CUgraphNodeType kind{};
  if (calls_.node_type(from, &kind) != CUDA_SUCCESS || kind != CU_GRAPH_NODE_TYPE_KERNEL) return;
  if (calls_.kernel_attribute(from, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) != CUDA_SUCCESS) return;
  if (value.priority == 0) return;
  calls_.set_kernel_attribute(to, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value);
}

// Puts the last probe of a node before all that depend on the node.
CUresult Splice::Join(CUgraph level, CUgraphNode node, CUgraphNode last_probe) {
  Edges& edges = edges_[level];
  std::unordered_set<CUgraphNode> joined;
  for (const graph::Edge& edge : edges[last_probe]) joined.insert(edge.to);
  for (const graph::Edge& edge : edges[node]) {
    if (own_.contains(edge.to)) continue;
    CUresult result = CUDA_SUCCESS;
    if (!joined.contains(edge.to)) {
      result = calls_.add_dependencies(level, &last_probe, &edge.to, 1);
      if (!IsPlain(edge)) ++overlaps_lost_;
    }
    if (result == CUDA_SUCCESS && placement_ == Placement::kBetween) result = Remove(level, edge);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult Splice::Remove(CUgraph level, const graph::Edge& edge) {
  return calls_.remove_dependencies_data != nullptr
             ? calls_.remove_dependencies_data(level, &edge.from, &edge.to, &edge.data, 1)
             : calls_.remove_dependencies(level, &edge.from, &edge.to, 1);
}

CUresult Splice::Set(Probe* probe, probe::ProbeKernel kernel, probe::StridedArguments arguments) {
  const auto passed = probe::Passed(arguments, kernel);
  const bool same =
      probe->arguments && probe->kernel == kernel && std::ranges::equal(passed, *probe->arguments);
  if (same) return CUDA_SUCCESS;
  probe->arguments = std::nullopt;
  void* pointers[] = {&arguments};
  const auto parameters = ProbeParameters(tools_, kernel, pointers);
  const CUresult result = calls_.set_kernel(probe->node, &parameters);
  if (result != CUDA_SUCCESS) return result;
  probe->kernel = kernel;
  probe->arguments.emplace(passed.begin(), passed.end());
  return CUDA_SUCCESS;
}

CUresult Splice::SetArguments(const probe::Layout& layout, const probe::Plan& plan) {
  for (Probe& probe : probes_) {
    const bool used = probe.place != kNoPlace;
    probe::StridedArguments arguments =
        used ? probe::ArgumentsOf(layout, plan, probe.place) : IdleArguments(tools_);
    arguments.probe.cell = reinterpret_cast<const probe::Cell*>(tools_.cell);
    const auto kernel = used ? layout.places[probe.place].kernel : probe.kernel;
    const CUresult result = Set(&probe, kernel, arguments);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

void Splice::ForgetArguments() noexcept {
  for (Probe& probe : probes_) probe.arguments = std::nullopt;
}

CUresult Splice::Silence() {
  CUresult worst = CUDA_SUCCESS;
  for (Probe& probe : probes_) {
    probe.place = kNoPlace;
    const CUresult result = Set(&probe, probe.kernel, IdleArguments(tools_));
    if (result != CUDA_SUCCESS) worst = result;
  }
  return worst;
}

bool Splice::Forget(CUgraphNode node) {
  if (own_.erase(node) == 0) return false;
  std::erase_if(probes_, [&](const Probe& probe) { return probe.node == node; });
  index_.clear();
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    index_[{probes_[i].behind, probes_[i].ordinal}] = i;
  }
  return true;
}

// The last link of a node takes the place of one that is removed: in reverse, none changes place.
CUresult Splice::TakeOut(std::size_t first) {
  while (probes_.size() > first) {
    const Probe& probe = probes_.back();
    const CUresult result = calls_.destroy_node(probe.node);
    if (result != CUDA_SUCCESS) return result;
    own_.erase(probe.node);
    index_.erase({probe.behind, probe.ordinal});
    probes_.pop_back();
  }
  return CUDA_SUCCESS;
}

CUgraphNode Splice::ProbeAt(std::uint32_t place) const {
  for (const Probe& probe : probes_) {
    if (probe.place == place) return probe.node;
  }
  return nullptr;
}

std::unordered_map<CUgraph, std::unordered_set<CUgraphNode>> Splice::Levels() const {
  std::unordered_map<CUgraph, std::unordered_set<CUgraphNode>> levels;
  for (const Probe& probe : probes_) levels[probe.level].insert(probe.node);
  return levels;
}

}  // namespace graphtap::shadow
