#include "tests/hostcuda/graph/node_calls.h"

#include <utility>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handles.h"

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

CUresult AddNode(CUgraphNode* added, CUgraph handle, const DependencyList& dependencies,
                 const SharedWork& work, std::unique_ptr<Graph> child) {
  Graph* graph = Find(handle);
  if (added == nullptr || graph == nullptr ||
      (dependencies.count != 0 && dependencies.nodes == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraphNodeType type = child ? CU_GRAPH_NODE_TYPE_GRAPH : NodeTypeOf(*work);
  Node& node = graph->AddNode(type, work, std::move(child));
  CUresult result = ConnectAll(node, dependencies);
  if (result != CUDA_SUCCESS) {
    graph->Remove(node);
    return result;
  }
  *added = Handle(&node);
  return CUDA_SUCCESS;
}

// The generic calls: one struct for all kinds.
CUresult AddAnyNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                    const CUgraphNodeParams* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
    if (params->graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    return AddChildNode(added, graph, dependencies, params->graph.graph);
  }
  SharedWork work;
  CUresult result = MakeWork(*params, &work);
  return result == CUDA_SUCCESS ? AddWorkNode(added, graph, dependencies, work) : result;
}

}  // namespace

CUresult AddWorkNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                     const SharedWork& work) {
  GraphLock lock;
  return AddNode(added, graph, dependencies, work, nullptr);
}

CUresult AddChildNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                      CUgraph child) {
  GraphLock lock;
  const Graph* original = Find(child);
  if (original == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return AddNode(added, graph, dependencies, nullptr, original->Clone());
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
  *graph = Handle(node->child.get());
  return CUDA_SUCCESS;
}

}  // namespace hostcuda::calls
