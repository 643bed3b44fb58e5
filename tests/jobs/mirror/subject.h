// Subject: one executable that is changed and launched, with the model of its nodes. Owner: the
// case that runs. Threads: one. Failure: ends the job.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "tests/jobs/mirror/changes.h"
#include "tests/jobs/mirror/graphs.h"
#include "tests/jobs/mirror/model.h"

namespace mirror {

class Subject {
 public:
  // The graph stays: its nodes are the names of the executable's. Captured on `capture_stream`, or
  // made by hand where that is null.
  Subject(Nodes nodes, cudaStream_t capture_stream);
  // A further executable of the same graph.
  Subject(const Subject& first, Nodes nodes);
  ~Subject();
  Subject& operator=(const Subject&) = delete;

  Node& operator[](unsigned position) { return nodes_[position]; }
  Nodes& nodes() { return nodes_; }
  cudaGraphExec_t executable() const { return executable_; }
  std::size_t CountNodes() const;  // of the graph

  // The call's change of the node, to what the model says now.
  using Call = void(Target, const Node&);
  void Apply(Call* call, unsigned position);
  void ApplyInside(Call* call, unsigned position, unsigned inner);
  void ApplyInBody(Call* call, unsigned position, unsigned inner);  // of the first body
  // Whole-graph updates, to what the model says now.
  void UpdateByCapture(cudaStream_t stream);
  void UpdateByHand();  // cuGraphExecUpdate of CUDA 11
  // A new executable of the same graph, which may have one at a time. It counts its replays anew.
  void MakeAgain(Truth& truth);
  // The graph goes, the executable stays.
  void DestroyGraph() { own_graph_ = nullptr; }
  // Updates and changes that must be refused; the executable stays as it is. `host` is the
  // position of a host node.
  void ExpectRefusals(unsigned host);

  // Launches, and runs the model.
  void Launch(cudaStream_t stream, Truth& truth);
  void WriteReplays(Truth& truth) const { truth.WriteReplays(number_, replays_); }

 private:
  void Instantiate();

  Nodes nodes_;
  std::unique_ptr<const Graph> own_graph_;
  const Graph* graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  unsigned number_ = 0;  // in the order in which the process instantiates
  unsigned replays_ = 0;
};

}  // namespace mirror
