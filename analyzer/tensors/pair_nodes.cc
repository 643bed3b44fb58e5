#include "analyzer/tensors/pair_nodes.h"

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "proto/names/names.h"

namespace graphtap::tensors {
namespace {

using Nodes = std::vector<const model::Node*>;

Nodes NamedNodes(const model::Graph& graph) {
  Nodes nodes;
  for (const auto& node : graph.nodes) {
    if (!node.name.empty()) nodes.push_back(&node);
  }
  return nodes;
}

// What makes two nodes of one name alike: element types of the pointers, and how much is done.
std::string ShapeOf(const model::Node& node) {
  const auto& parameters = node.record.parameters();
  if (parameters.has_kernel()) {
    const auto& kernel = parameters.kernel();
    std::string shape =
        absl::StrFormat("%ux%ux%u", kernel.grid_x(), kernel.grid_y(), kernel.grid_z());
    if (node.function == nullptr) return shape;
    const auto count = static_cast<std::uint32_t>(node.function->record.parameters_size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const Dtype dtype = names::ParameterDtype(node.function->demangled, i);
      absl::StrAppendFormat(&shape, " %u", static_cast<unsigned>(dtype));
    }
    return shape;
  }
  const auto& memcpy = parameters.memcpy();
  const auto& memset = parameters.memset();
  return absl::StrFormat("%u %u %u %u %u %u", memcpy.width_bytes(), memcpy.height(), memcpy.depth(),
                         memset.element_bytes(), memset.width(), memset.height());
}

// An operator's tensors: their types and sizes.
std::string ShapeOf(const model::Op& op) {
  std::string shape;
  for (const auto& tensor : op.record.tensors()) {
    absl::StrAppendFormat(&shape, "%u.%u %u %s ", static_cast<unsigned>(tensor.role()),
                          tensor.index(), tensor.dtype(), absl::StrJoin(tensor.sizes(), "x"));
  }
  return shape;
}

std::vector<const model::Op*> ObservedOps(const model::Graph& graph) {
  std::vector<const model::Op*> ops;
  for (const auto& [index, op] : graph.ops) {
    if (!op.record.tensors().empty()) ops.push_back(&op);
  }
  return ops;
}

}  // namespace

NodePairing PairNodes(const model::Graph& reference, const model::Graph& candidate) {
  // The operators of an eager step are no nodes of a graph: none is there too much.
  if (reference.record.eager() || candidate.record.eager()) return {};
  const auto name = [](const model::Node& node) { return node.name; };
  const auto shape = [](const model::Node& node) { return ShapeOf(node); };
  return Pairer(NamedNodes(reference), NamedNodes(candidate), name, shape).Run();
}

OpPairing PairOps(const model::Graph& reference, const model::Graph& candidate) {
  // Gradients are known by another operator's name.
  const auto name = [](const model::Op& op) { return op.name + '\0' + op.gradient_name; };
  const auto shape = [](const model::Op& op) { return ShapeOf(op); };
  return Pairer(ObservedOps(reference), ObservedOps(candidate), name, shape).Run();
}

}  // namespace graphtap::tensors
