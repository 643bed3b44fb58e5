#include "tests/hostcuda/graph/node_calls.h"

#include <utility>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/restrictions.h"

namespace hostcuda {
namespace {

CUresult ConnectAll(Node& node, const DependencyList& dependencies) {
  for (std::size_t i = 0; i < dependencies.count; ++i) {
    Node* from = Find(dependencies.nodes[i]);
    if (from == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUgraphEdgeData data = dependencies.data == nullptr ? CUgraphEdgeData{} : dependencies.data[i];
    CUresult result = node.graph->Connect(*from, node, data);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

// Adds a node that holds `child` itself.
CUresult MoveChildNode(CUgraphNode* added, CUgraph handle, const DependencyList& dependencies,
                       CUgraph child_handle) {
  GraphLock lock;
  Graph* child = Find(child_handle);
  const Graph* graph = Find(handle);
  if (child == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CheckMovedChild(*child, *graph);
  if (result != CUDA_SUCCESS) return result;
  EmbeddedGraphs moved;
  moved.emplace_back(child);
  result = AddNode(added, handle, dependencies, nullptr, &moved);
  if (result != CUDA_SUCCESS) moved.front().release();  // it stays the caller's
  return result;
}

// The generic calls: one struct for all kinds.
CUresult AddAnyNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                    CUgraphNodeParams* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
    if (params->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
      return MoveChildNode(added, graph, dependencies, params->graph.graph);
    }
    return AddChildNode(added, graph, dependencies, params->graph.graph);
  }
  if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    return AddConditionalNode(added, graph, dependencies, &params->conditional);
  }
  SharedWork work;
  CUresult result = MakeWork(*params, &work);
  if (result == CUDA_SUCCESS) result = AddWorkNode(added, graph, dependencies, work);
  if (result == CUDA_SUCCESS && params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
    params->alloc.dptr = AllocationOf(*work).address();
  }
  return result;
}

}  // namespace

CUresult AddNode(CUgraphNode* added, CUgraph handle, const DependencyList& dependencies,
                 const SharedWork& work, EmbeddedGraphs* embedded) {
  Graph* graph = Find(handle);
  if (added == nullptr || graph == nullptr ||
      (dependencies.count != 0 && dependencies.nodes == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUresult result = CheckNewNode(*graph, work.get());
  if (result != CUDA_SUCCESS) return result;
  CUgraphNodeType type = work ? NodeTypeOf(*work) : CU_GRAPH_NODE_TYPE_GRAPH;
  Node& node = graph->AddNode(type, work, embedded ? std::move(*embedded) : EmbeddedGraphs{});
  result = ConnectAll(node, dependencies);
  if (result != CUDA_SUCCESS) {
    for (auto& inner : node.embedded) inner->parent = nullptr;
    if (embedded) *embedded = std::move(node.embedded);
    graph->Remove(node);
    return result;
  }
  graph->NoteMemory(node);
  *added = Handle(&node);
  return CUDA_SUCCESS;
}

CUresult AddWorkNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                     const SharedWork& work) {
  GraphLock lock;
  return AddNode(added, graph, dependencies, work, nullptr);
}

CUresult AddChildNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                      CUgraph child) {
  GraphLock lock;
  const Graph* original = Find(child);
  const Graph* parent = Find(graph);
  if (original == nullptr || parent == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CheckCopiedChild(*original, *parent);
  if (result != CUDA_SUCCESS) return result;
  EmbeddedGraphs copies;
  copies.push_back(original->Clone());
  return AddNode(added, graph, dependencies, nullptr, &copies);
}

CUresult SetNodeWork(CUgraphNode handle, const SharedWork& work) {
  GraphLock lock;
  Node* node = FindOfType(handle, NodeTypeOf(*work));
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  node->SetWork(WithAttributesOf(*node->work, work));
  return CUDA_SUCCESS;
}

Node* FindOfType(CUgraphNode handle, CUgraphNodeType type) {
  Node* node = Find(handle);
  return node != nullptr && node->type == type ? node : nullptr;
}

}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuGraphAddNode_v2(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData* data, size_t count, CUgraphNodeParams* params) {
  return AddAnyNode(added, graph, {dependencies, data, count}, params);
}

CUresult cuGraphAddNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                        size_t count, CUgraphNodeParams* params) {
  return AddAnyNode(added, graph, {dependencies, nullptr, count}, params);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!HasSettableParams(params->type)) return CUDA_ERROR_NOT_SUPPORTED;
  SharedWork work;
  CUresult result = MakeWork(*params, &work);
  return result == CUDA_SUCCESS ? SetNodeWork(node, work) : result;
}

CUresult cuGraphAddEmptyNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                             size_t count) {
  return AddWorkNode(added, graph, {dependencies, nullptr, count},
                     std::make_shared<const Work>(EmptyWork{}));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* added, CUgraph graph,
                                  const CUgraphNode* dependencies, size_t count, CUgraph child) {
  return AddChildNode(added, graph, {dependencies, nullptr, count}, child);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* graph) {
  GraphLock lock;
  const Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_GRAPH);
  if (graph == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *graph = Handle(node->embedded.front().get());
  return CUDA_SUCCESS;
}

}  // namespace hostcuda::calls
