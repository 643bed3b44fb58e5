// Handles: CUgraph, CUgraphNode and CUgraphExec to what they stand for. Owner: nobody,
// they only look. Threads: under GraphLock. Failure: null for a handle that is not alive (the real
// driver may crash there), so that a test of a stale handle has one outcome.
#pragma once

#include <cuda.h>

namespace hostcuda {

class Executable;
class Graph;
struct Node;

void AddHandle(const Graph* graph);
void AddHandle(const Node* node);
void AddHandle(const Executable* executable);
void ForgetHandle(const void* object);

Graph* Find(CUgraph handle);
Node* Find(CUgraphNode handle);
Executable* Find(CUgraphExec handle);

inline CUgraph Handle(const Graph* graph) {
  return reinterpret_cast<CUgraph>(const_cast<Graph*>(graph));
}
inline CUgraphNode Handle(const Node* node) {
  return reinterpret_cast<CUgraphNode>(const_cast<Node*>(node));
}
inline CUgraphExec Handle(const Executable* executable) {
  return reinterpret_cast<CUgraphExec>(const_cast<Executable*>(executable));
}

}  // namespace hostcuda
