#include "interpose/graph/edges.h"

namespace graphtap::graph {

CUresult ListEdges(const driver::Calls& calls, CUgraph graph, std::vector<Edge>* edges) {
  const auto list = [&](CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                        std::size_t* count) {
    if (calls.graph_edges_data != nullptr) {
      return calls.graph_edges_data(graph, from, to, data, count);
    }
    return calls.graph_edges(graph, from, to, count);
  };
  edges->clear();
  std::size_t count = 0;
  CUresult result = list(nullptr, nullptr, nullptr, &count);
  if (result != CUDA_SUCCESS || count == 0) return result;
  std::vector<CUgraphNode> from(count), to(count);
  std::vector<CUgraphEdgeData> data(count);
  result = list(from.data(), to.data(), data.data(), &count);
  if (result != CUDA_SUCCESS) return result;
  edges->reserve(count);
  for (std::size_t i = 0; i < count; ++i) edges->push_back({from[i], to[i], data[i]});
  return CUDA_SUCCESS;
}

}  // namespace graphtap::graph
