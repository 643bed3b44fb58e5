// Edges: list, add, remove. The forms without edge data refuse to drop data that is not the
// default.
#include <algorithm>
#include <span>
#include <vector>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handle_list.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/restrictions.h"

namespace hostcuda {
namespace {

struct Edges {
  std::vector<CUgraphNode> from;
  std::vector<CUgraphNode> to;
  std::vector<CUgraphEdgeData> data;

  void Add(const Node* from_node, const Node* to_node, const CUgraphEdgeData& edge) {
    from.push_back(Handle(from_node));
    to.push_back(Handle(to_node));
    data.push_back(edge);
  }
};

// Writes to those arrays that are not null. The count alone is asked for with all of them null.
CUresult Write(const Edges& edges, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
               size_t* count) {
  if (from == nullptr && to == nullptr) {
    if (data != nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = edges.data.size();
    return CUDA_SUCCESS;
  }
  if (data == nullptr && !std::all_of(edges.data.begin(), edges.data.end(), IsDefault)) {
    return CUDA_ERROR_LOSSY_QUERY;
  }
  if (from != nullptr) WriteList(std::span<const CUgraphNode>(edges.from), from, *count);
  if (to != nullptr) WriteList(std::span<const CUgraphNode>(edges.to), to, *count);
  if (data != nullptr) WriteList(std::span<const CUgraphEdgeData>(edges.data), data, *count);
  *count = std::min(*count, edges.data.size());
  return CUDA_SUCCESS;
}

CUresult Disconnect(Graph& graph, Node& from, Node& to, const CUgraphEdgeData& data) {
  CUresult result = CheckRemoval(graph);
  return result == CUDA_SUCCESS ? graph.Disconnect(from, to, data) : result;
}

CUresult Connect(Graph& graph, Node& from, Node& to, const CUgraphEdgeData& data) {
  return graph.Connect(from, to, data);
}

using ChangeEdge = CUresult (*)(Graph&, Node&, Node&, const CUgraphEdgeData&);

CUresult ChangeAll(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                   const CUgraphEdgeData* data, size_t count, ChangeEdge change) {
  GraphLock lock;
  Graph* graph = Find(handle);
  if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; ++i) {
    Node* from_node = Find(from[i]);
    Node* to_node = Find(to[i]);
    CUgraphEdgeData edge = data == nullptr ? CUgraphEdgeData{} : data[i];
    if (from_node == nullptr || to_node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = change(*graph, *from_node, *to_node, edge);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace

}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuGraphGetEdges_v2(CUgraph handle, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* data, size_t* count) {
  GraphLock lock;
  const Graph* graph = Find(handle);
  if (count == nullptr || graph == nullptr || (from == nullptr) != (to == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Edges edges;
  for (auto& node : graph->nodes()) {
    for (const Link& link : node->dependencies) edges.Add(link.node, node.get(), link.data);
  }
  return Write(edges, from, to, data, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return calls::cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode* dependencies,
                                       CUgraphEdgeData* data, size_t* count) {
  GraphLock lock;
  const Node* node = Find(handle);
  if (count == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Edges edges;
  for (const Link& link : node->dependencies) edges.Add(link.node, node, link.data);
  return Write(edges, dependencies, nullptr, data, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* dependencies, size_t* count) {
  return calls::cuGraphNodeGetDependencies_v2(node, dependencies, nullptr, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode* dependents,
                                         CUgraphEdgeData* data, size_t* count) {
  GraphLock lock;
  const Node* node = Find(handle);
  if (count == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Edges edges;
  for (const Link& link : node->dependents) edges.Add(node, link.node, link.data);
  return Write(edges, nullptr, dependents, data, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* dependents, size_t* count) {
  return calls::cuGraphNodeGetDependentNodes_v2(node, dependents, nullptr, count);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* data, size_t count) {
  return ChangeAll(graph, from, to, data, count, &Connect);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t count) {
  return ChangeAll(graph, from, to, nullptr, count, &Connect);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* data, size_t count) {
  return ChangeAll(graph, from, to, data, count, &Disconnect);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t count) {
  return ChangeAll(graph, from, to, nullptr, count, &Disconnect);
}

}  // namespace hostcuda::calls
