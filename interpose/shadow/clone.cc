#include "interpose/shadow/clone.h"

namespace graphtap::shadow {

std::unique_ptr<Clone> Clone::Make(const driver::Calls& calls, CUgraph graph,
                                   const graph::GraphModel& model, CUresult* error) {
  CUgraph copy = nullptr;
  *error = calls.graph_clone(&copy, graph);
  if (*error != CUDA_SUCCESS) return nullptr;
  std::unique_ptr<Clone> clone(new Clone(calls, copy));
  *error = clone->MapNodes(model);
  return *error == CUDA_SUCCESS ? std::move(clone) : nullptr;
}

Clone::~Clone() {
  if (graph_ != nullptr) calls_.graph_destroy(graph_);
}

// At once: once the original is destroyed, the driver crashes at the question.
CUresult Clone::MapNodes(const graph::GraphModel& model) {
  nodes_.resize(model.nodes->size());
  levels_.resize(model.nodes->size());
  std::vector<CUgraph> inside(model.nodes->size());  // the graph embedded in a child graph node
  for (const record::Node& node : *model.nodes) {
    const std::uint32_t index = node.index;
    levels_[index] = node.parent ? inside[*node.parent] : graph_;
    CUresult result = calls_.find_in_clone(&nodes_[index], model.handles[index], levels_[index]);
    if (result == CUDA_SUCCESS && node.parameters.kind == CU_GRAPH_NODE_TYPE_GRAPH) {
      result = calls_.child_graph(nodes_[index], &inside[index]);
    }
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace graphtap::shadow
