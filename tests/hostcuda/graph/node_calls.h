// Adding nodes and replacing their parameters, for all kinds alike. Owner: the graph gets the node.
// Threads: AddNode and SetWork take GraphLock themselves. Failure: CUresult; nothing is added then.
#pragma once

#include <cuda.h>

#include <cstddef>

#include "tests/hostcuda/graph/graph.h"
#include "tests/hostcuda/graph/node_work.h"

namespace hostcuda {

// The nodes that a new node depends on; `data` may be null.
struct DependencyList {
  const CUgraphNode* nodes;
  const CUgraphEdgeData* data;
  std::size_t count;
};

// Adds a node that does `work`.
CUresult AddWorkNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                     const SharedWork& work);
// Adds a node that holds a copy of `child`.
CUresult AddChildNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                      CUgraph child);
// Adds a node with bodies, which *params tells then.
CUresult AddConditionalNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                            CUDA_CONDITIONAL_NODE_PARAMS* params);
// What these do: adds a node of `work`, or a child node, with the graphs in it; takes *embedded on
// success alone. Needs GraphLock.
CUresult AddNode(CUgraphNode* added, CUgraph graph, const DependencyList& dependencies,
                 const SharedWork& work, EmbeddedGraphs* embedded);
// INVALID_VALUE unless the node's work is of the same kind.
CUresult SetNodeWork(CUgraphNode handle, const SharedWork& work);

// The live node, or null if it is of another kind. Needs GraphLock.
Node* FindOfType(CUgraphNode handle, CUgraphNodeType type);

}  // namespace hostcuda
