// Graphs: made of a model's nodes, by hand or by a capture. Owner: the Graph value. Threads: one.
// Failure: ends the job.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <vector>

#include "tests/jobs/mirror/model.h"

namespace mirror {

class Graph {
 public:
  // The nodes of the first body of each conditional node, by the position of that.
  using Bodies = std::map<unsigned, std::vector<cudaGraphNode_t>>;

  Graph(cudaGraph_t handle, std::vector<cudaGraphNode_t> nodes, Bodies bodies = {})
      : handle_(handle), nodes_(std::move(nodes)), bodies_(std::move(bodies)) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  cudaGraph_t handle() const { return handle_; }
  cudaGraphNode_t NodeAt(unsigned position) const { return nodes_[position]; }
  // A node of the chain inside the child graph at `position`.
  cudaGraphNode_t InnerNodeAt(unsigned position, unsigned inner) const;
  cudaGraphNode_t BodyNodeAt(unsigned position, unsigned inner) const {
    return bodies_.at(position)[inner];
  }

 private:
  cudaGraph_t handle_;
  std::vector<cudaGraphNode_t> nodes_;  // in the order of the model
  Bodies bodies_;
};

// With cudaGraphAdd…Node and the dependencies of the model.
Graph MakeByHand(const Nodes& nodes);
// By launches into a capturing stream, as one chain; no events, no child graphs.
Graph Capture(const Nodes& nodes, cudaStream_t stream);

}  // namespace mirror
