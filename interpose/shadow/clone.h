// Clone: a copy of one of the job's graphs that graphtap may change, and its nodes by the indices
// of the graph version. Owner: the mirror. Threads: one at a time. Failure: an error of the driver
// is handed back. The original must exist while it is made, not afterwards. No units.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "interpose/graph/graph_reader.h"
#include "interpose/session/session.h"

namespace graphtap::shadow {

// The nodes of a graph by the indices of its version, and the graph that holds each: that one, or
// one inside it.
struct GraphNodes {
  CUgraph graph = nullptr;
  std::span<const CUgraphNode> nodes;
  std::span<const CUgraph> levels;
};

class Clone {
 public:
  // Of `graph`, whose model is `model`. nullptr: *error is what the driver said.
  static std::unique_ptr<Clone> Make(const driver::Calls& calls, CUgraph graph,
                                     const graph::GraphModel& model, CUresult* error);
  ~Clone();
  Clone(const Clone&) = delete;
  Clone& operator=(const Clone&) = delete;

  // Its context is gone: it is not destroyed.
  void Abandon() noexcept { graph_ = nullptr; }

  CUgraph graph() const { return graph_; }
  CUgraphNode node(std::uint32_t index) const { return nodes_[index]; }
  GraphNodes nodes() const { return {graph_, nodes_, levels_}; }

 private:
  Clone(const driver::Calls& calls, CUgraph graph) : calls_(calls), graph_(graph) {}
  CUresult MapNodes(const graph::GraphModel& model);

  const driver::Calls& calls_;
  CUgraph graph_;
  std::vector<CUgraphNode> nodes_;
  std::vector<CUgraph> levels_;
};

}  // namespace graphtap::shadow
