// Graphs as wholes: create, destroy, clone, list.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handle_list.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/restrictions.h"

namespace hostcuda::calls {

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  if (graph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  GraphLock lock;
  *graph = Handle(std::make_unique<Graph>().release());
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  GraphLock lock;
  Graph* graph = Find(handle);
  if (graph == nullptr || graph->parent != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (graph->capturing) return CUDA_ERROR_ILLEGAL_STATE;
  delete graph;
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph* clone, CUgraph original) {
  GraphLock lock;
  Graph* graph = Find(original);
  if (clone == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CheckClone(*graph);
  if (result != CUDA_SUCCESS) return result;
  *clone = Handle(graph->Clone().release());
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph clone) {
  GraphLock lock;
  Graph* graph = Find(clone);
  if (found == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Node* node = Find(original);
  if (node == nullptr) {
    std::fputs(
        "hostcuda: cuGraphNodeFindInClone: the original node is gone; the real driver crashes "
        "here\n",
        stderr);
    std::abort();
  }
  Node* in_clone = graph->FindClone(*node);
  if (in_clone == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *found = Handle(in_clone);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  GraphLock lock;
  const Node* node = Find(handle);
  if (type == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *type = node->type;
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  GraphLock lock;
  const Graph* graph = Find(handle);
  if (count == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (nodes == nullptr) {
    *count = graph->nodes().size();
    return CUDA_SUCCESS;
  }
  std::vector<CUgraphNode> all;
  for (auto& node : graph->nodes()) all.push_back(Handle(node.get()));
  WriteList(std::span<const CUgraphNode>(all), nodes, *count);
  *count = std::min(*count, all.size());
  return CUDA_SUCCESS;
}

CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode* roots, size_t* count) {
  GraphLock lock;
  const Graph* graph = Find(handle);
  if (count == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> all;
  for (auto& node : graph->nodes()) {
    if (node->dependencies.empty()) all.push_back(Handle(node.get()));
  }
  if (roots != nullptr) WriteList(std::span<const CUgraphNode>(all), roots, *count);
  *count = roots == nullptr ? all.size() : std::min(*count, all.size());
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  GraphLock lock;
  Node* node = Find(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CheckRemoval(*node->graph);
  if (result == CUDA_SUCCESS) node->graph->Remove(*node);
  return result;
}

}  // namespace hostcuda::calls
