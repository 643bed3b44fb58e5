// Restrictions: what graphs may not do that hold nodes of which there is only one (allocation and
// free nodes, conditional nodes), and what the bodies of conditional nodes may not hold. Owner:
// nobody, these are questions. Threads: under GraphLock. Failure: the CUresult of the call that is
// not allowed.
#pragma once

#include <cuda.h>

#include "tests/hostcuda/graph/graph.h"

namespace hostcuda {

// A new node that does `work` (null: a child node). INVALID_VALUE to free what this graph or the
// owner of the allocation frees already.
CUresult CheckNewNode(const Graph& graph, const Work* work);

// Whether it, or a graph in it, has a variable without a node.
bool HasUnusedConditional(const Graph& graph);

CUresult CheckClone(const Graph& graph);

// Of nodes and of edges.
CUresult CheckRemoval(const Graph& graph);

// A graph that becomes a child node's, as a copy or itself.
CUresult CheckCopiedChild(const Graph& child, const Graph& parent);
CUresult CheckMovedChild(const Graph& child, const Graph& parent);

// One executable at a time.
CUresult CheckInstantiation(const Graph& graph);

}  // namespace hostcuda
