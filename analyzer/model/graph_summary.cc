#include "analyzer/model/graph_summary.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace graphtap::model {
namespace {

constexpr std::uint32_t kKernelKind = 0;              // CU_GRAPH_NODE_TYPE_KERNEL
constexpr std::uint32_t kProgrammaticDependency = 1;  // CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC

bool IsKernel(const Node& node) { return node.record.parameters().kind() == kKernelKind; }

using Shape = std::array<std::uint32_t, 6>;

Shape ShapeOf(const KernelNode& kernel) {
  return {kernel.grid_x(),  kernel.grid_y(),  kernel.grid_z(),
          kernel.block_x(), kernel.block_y(), kernel.block_z()};
}

std::vector<ScopeCount> CountScopes(const Graph& graph) {
  std::vector<ScopeCount> scopes;
  absl::flat_hash_map<std::string, std::size_t> places;
  for (const auto& node : graph.nodes) {
    const auto [place, first] = places.try_emplace(node.scope, scopes.size());
    if (first) scopes.push_back({.scope = node.scope});
    auto& count = scopes[place->second];
    ++count.nodes;
    count.kernels += IsKernel(node);
  }
  return scopes;
}

std::vector<KernelCount> CountKernels(const Graph& graph) {
  struct Group {
    KernelCount count;
    std::set<std::string> functions;
    std::set<Shape> shapes;
  };
  absl::flat_hash_map<std::string, Group> groups;
  for (const auto& node : graph.nodes) {
    if (!IsKernel(node)) continue;
    auto& group = groups[node.function == nullptr ? "?" : node.function->short_name];
    if (group.count.example == nullptr) group.count.example = &node;
    ++group.count.nodes;
    group.functions.insert(node.function == nullptr ? "?" : node.function->mangled);
    group.shapes.insert(ShapeOf(node.record.parameters().kernel()));
  }
  std::vector<KernelCount> kernels;
  for (auto& [name, group] : groups) {
    group.count.short_name = name;
    group.count.variants = group.functions.size();
    group.count.shapes = group.shapes.size();
    kernels.push_back(group.count);
  }
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
    return std::tie(b.nodes, a.short_name) < std::tie(a.nodes, b.short_name);
  });
  return kernels;
}

std::vector<OpCount> CountOps(const Graph& graph) {
  absl::flat_hash_map<std::string, OpCount> counts;
  for (const auto& [index, op] : graph.ops) {
    if (op.record.kind() != graphtap::Op::KIND_LEAF) continue;
    OpCount& count = counts[op.label];
    count.label = op.label;
    ++count.ops;
    for (const auto& tensor : op.record.tensors()) {
      ++(tensor.role() == Operand::ROLE_OUTPUT ? count.outputs : count.inputs);
    }
  }
  for (const auto& node : graph.nodes) {
    if (node.op == nullptr) continue;
    const auto found = counts.find(node.op->label);
    if (found != counts.end()) ++found->second.nodes;
  }
  std::vector<OpCount> ops;
  for (auto& [label, count] : counts) ops.push_back(std::move(count));
  std::sort(ops.begin(), ops.end(), [](const auto& a, const auto& b) {
    return std::tie(b.ops, a.label) < std::tie(a.ops, b.label);
  });
  return ops;
}

std::vector<RegionCount> CountRegions(const Graph& graph) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  const auto text = [](const Frame* frame) { return frame == nullptr ? "" : frame->Text(); };
  std::vector<RegionCount> regions;
  absl::flat_hash_map<Key, std::size_t> places;
  for (const auto& node : graph.nodes) {
    if (node.stack == nullptr || !node.stack->region) continue;
    const Region& region = *node.stack->region;
    const Key key{region.name, node.compile_id, text(region.function), text(region.caller)};
    const auto [place, first] = places.try_emplace(key, regions.size());
    if (first) regions.push_back({&node});
    ++regions[place->second].nodes;
  }
  return regions;
}

void CountOperands(const Node& node, OperandCount* count) {
  for (const auto& operand : node.record.parameters().operands()) {
    ++count->all;
    count->exact += operand.exact();
    count->host += operand.host();
    ++count->by_grade[operand.grade()];
  }
}

}  // namespace

GraphSummary Summarize(const Graph& graph) {
  GraphSummary summary;
  for (const auto& node : graph.nodes) {
    const auto& parameters = node.record.parameters();
    ++summary.kinds[parameters.kind()];
    summary.unread_nodes += parameters.has_unread_error();
    for (const auto& dependency : node.record.dependencies()) {
      ++summary.edges;
      summary.programmatic_edges += dependency.type() == kProgrammaticDependency;
    }
    CountOperands(node, &summary.operands);
    summary.nodes_with_op += node.op != nullptr;
  }
  summary.scopes = CountScopes(graph);
  summary.kernels = CountKernels(graph);
  summary.ops = CountOps(graph);
  summary.regions = CountRegions(graph);
  for (const auto& [index, op] : graph.ops) {
    const auto& tensors = op.record.tensors();
    summary.gradients += static_cast<std::uint64_t>(
        std::count_if(tensors.begin(), tensors.end(),
                      [](const auto& tensor) { return tensor.role() == Operand::ROLE_GRADIENT; }));
  }
  if (graph.record.node_count() > graph.nodes.size()) {
    summary.missing_nodes = graph.record.node_count() - graph.nodes.size();
  }
  return summary;
}

std::vector<UpdateGroup> GroupUpdates(const Process& process, const Executable& executable) {
  std::vector<UpdateGroup> groups;
  std::vector<std::set<std::uint32_t>> nodes;
  for (const auto& update : executable.updates) {
    const auto found =
        update.has_graph() ? process.graphs.find(update.graph()) : process.graphs.end();
    const Graph* graph = found == process.graphs.end() ? nullptr : &found->second;
    const UpdateGroup key = {.call = process.StringAt(update.call()),
                             .result = update.result(),
                             .update_result = update.update_result(),
                             .graph = graph,
                             .destroyed = update.destroyed()};
    const auto same = [&](const UpdateGroup& group) {
      return std::tie(group.call, group.result, group.update_result, group.graph) ==
                 std::tie(key.call, key.result, key.update_result, key.graph) &&
             group.destroyed == key.destroyed;
    };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) {
      group = groups.insert(group, key);
      group->first_after = update.after_replay();
      nodes.emplace_back();
    }
    ++group->count;
    group->last_after = update.after_replay();
    auto& set = nodes[static_cast<std::size_t>(group - groups.begin())];
    if (update.has_node()) set.insert(update.node());
    group->nodes = set.size();
  }
  return groups;
}

}  // namespace graphtap::model
