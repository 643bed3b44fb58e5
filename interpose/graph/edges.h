// Edges: all edges of one level of a graph, with their data where the driver knows any.
// Pure questions to the driver. Threads: whoever uses the graph. Failure: the driver's error; may
// throw bad_alloc. No units.
#pragma once

#include <vector>

#include "interpose/driver/driver.h"

namespace graphtap::graph {

struct Edge {
  CUgraphNode from = nullptr, to = nullptr;
  CUgraphEdgeData data{};
};

CUresult ListEdges(const driver::Calls& calls, CUgraph graph, std::vector<Edge>* edges);

}  // namespace graphtap::graph
