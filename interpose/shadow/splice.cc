#include "interpose/shadow/splice.h"

#include <algorithm>
#include <cstring>

namespace graphtap::shadow {
namespace {

// What a probe is told until there is a plan: no tensors.
probe::ProbeArguments IdleArguments(const ProbeTools& tools) {
  probe::ProbeArguments arguments{};
  arguments.cell = reinterpret_cast<const probe::Cell*>(tools.cell);
  return arguments;
}

}  // namespace

CUDA_KERNEL_NODE_PARAMS_v2 ProbeParameters(const ProbeTools& tools, bool statistics,
                                           unsigned blocks, void** arguments) {
  CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
  parameters.func = statistics ? tools.kernels.digest : tools.kernels.hash;
  parameters.gridDimX = std::max(blocks, 1u);
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

CUresult Splice::Into(const Clone& clone, std::span<const probe::ProbePlace> places) {
  const CUresult result = AddHead(clone);
  return result == CUDA_SUCCESS ? Insert(clone, places, 0) : result;
}

CUresult Splice::IntoChild(const Clone& clone, std::span<const probe::ProbePlace> places,
                           std::uint32_t first) {
  return Insert(clone, places, first);
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

CUresult Splice::AddHead(const Clone& clone) {
  CUresult result = ReadEdges(clone.graph());
  if (result != CUDA_SUCCESS) return result;
  std::unordered_map<CUgraphNode, bool> has_dependency;
  for (const auto& [from, edges] : edges_[clone.graph()]) {
    for (const graph::Edge& edge : edges) has_dependency[edge.to] = true;
  }
  std::vector<CUgraphNode> roots;
  for (std::uint32_t i = 0; i < clone.size(); ++i) {
    if (clone.level(i) != clone.graph() || has_dependency.contains(clone.node(i))) continue;
    roots.push_back(clone.node(i));
  }
  probe::HeadArguments arguments{reinterpret_cast<probe::Cell*>(tools_.cell), 0, 0, 0};
  void* pointers[] = {&arguments};
  const auto parameters = HeadParameters(tools_, pointers);
  result = calls_.add_kernel_node(&head_, clone.graph(), nullptr, 0, &parameters);
  if (result != CUDA_SUCCESS || roots.empty()) return result;
  const std::vector<CUgraphNode> heads(roots.size(), head_);
  return calls_.add_dependencies(clone.graph(), heads.data(), roots.data(), roots.size());
}

CUresult Splice::Insert(const Clone& clone, std::span<const probe::ProbePlace> places,
                        std::uint32_t first) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint32_t index = places[i].node - first;
    if (places[i].node < first || index >= clone.size()) continue;
    const CUgraph level = clone.level(index);
    const CUgraphNode node = clone.node(index);
    CUresult result = ReadEdges(level);
    if (result != CUDA_SUCCESS) return result;
    const bool begins = i == 0 || places[i - 1].node != places[i].node;
    const CUgraphNode behind = begins ? node : probes_.back().node;
    CUgraphNode probe = nullptr;
    result = AddProbe(level, behind, node, places[i], &probe);
    if (result != CUDA_SUCCESS) return result;
    probes_.push_back({static_cast<std::uint32_t>(i), probe, IdleArguments(tools_)});
    const bool ends = i + 1 == places.size() || places[i + 1].node != places[i].node;
    if (ends) result = MoveEdges(level, node, probe);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult Splice::AddProbe(CUgraph level, CUgraphNode behind, CUgraphNode neighbour,
                          const probe::ProbePlace& place, CUgraphNode* probe) {
  probe::ProbeArguments arguments = IdleArguments(tools_);
  void* pointers[] = {&arguments};
  const auto parameters = ProbeParameters(tools_, place.statistics, 1, pointers);
  const CUresult result = calls_.add_kernel_node(probe, level, &behind, 1, &parameters);
  if (result == CUDA_SUCCESS) CopyPriority(neighbour, *probe);
  return result;
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

CUresult Splice::MoveEdges(CUgraph level, CUgraphNode node, CUgraphNode last_probe) {
  const auto& edges = edges_[level][node];
  for (const graph::Edge& edge : edges) {
    CUresult result = calls_.add_dependencies(level, &last_probe, &edge.to, 1);
    if (result == CUDA_SUCCESS) {
      result = calls_.remove_dependencies_data != nullptr
                   ? calls_.remove_dependencies_data(level, &node, &edge.to, &edge.data, 1)
                   : calls_.remove_dependencies(level, &node, &edge.to, 1);
    }
    if (result != CUDA_SUCCESS) return result;
    if (edge.data.type != CU_GRAPH_DEPENDENCY_TYPE_DEFAULT) ++overlaps_lost_;
  }
  return CUDA_SUCCESS;
}

CUresult Splice::SetArguments(const probe::Layout& layout, const probe::Plan& plan) {
  for (Probe& probe : probes_) {
    probe::ProbeArguments arguments = probe::ArgumentsOf(layout, plan, probe.place);
    arguments.cell = reinterpret_cast<const probe::Cell*>(tools_.cell);
    if (std::memcmp(&arguments, &probe.arguments, sizeof arguments) == 0) continue;
    void* pointers[] = {&arguments};
    const auto parameters =
        ProbeParameters(tools_, layout.places[probe.place].statistics,
                        arguments.first_block[probe::kTensorsPerProbe], pointers);
    const CUresult result = calls_.set_kernel(probe.node, &parameters);
    if (result != CUDA_SUCCESS) return result;
    probe.arguments = arguments;
  }
  return CUDA_SUCCESS;
}

}  // namespace graphtap::shadow
