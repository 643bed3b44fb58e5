// Splice: probe nodes put into a clone. k -> d becomes k -> p -> d, and a head node stands before
// every root, which tells the probes slot and replay. A programmatic edge becomes a full one on
// both sides of the probe. Owner: the mirror. Threads: one at a time. Failure: the driver's error
// is handed back; the clone is of no use then. Units: nodes, edges.
#pragma once

#include <unordered_map>
#include <vector>

#include "interpose/graph/edges.h"
#include "interpose/probe/device.h"
#include "interpose/probe/layout.h"
#include "interpose/shadow/clone.h"

namespace graphtap::shadow {

// The kernels and the memory that the probes of one executable use.
struct ProbeTools {
  probe::Kernels kernels;
  CUcontext context = nullptr;
  std::uint64_t cell = 0;
};

class Splice {
 public:
  Splice(const driver::Calls& calls, const ProbeTools& tools) : calls_(calls), tools_(tools) {}

  // Into the whole clone of a graph: the head, and a probe for each place.
  CUresult Into(const Clone& clone, std::span<const probe::ProbePlace> places);
  // Into the clone of a child graph: no head; of the places, those of nodes from `first` on, which
  // are nodes 0 and on of the clone.
  CUresult IntoChild(const Clone& clone, std::span<const probe::ProbePlace> places,
                     std::uint32_t first);

  // Sets what the probes do, where it changed. Those of other graphs are left out.
  CUresult SetArguments(const probe::Layout& layout, const probe::Plan& plan);

  CUgraphNode head() const { return head_; }
  std::uint32_t overlaps_lost() const { return overlaps_lost_; }

 private:
  // By the node they leave, of one level.
  using Edges = std::unordered_map<CUgraphNode, std::vector<graph::Edge>>;

  CUresult ReadEdges(CUgraph level);
  CUresult AddHead(const Clone& clone);
  CUresult AddProbe(CUgraph level, CUgraphNode behind, CUgraphNode neighbour,
                    const probe::ProbePlace& place, CUgraphNode* probe);
  CUresult MoveEdges(CUgraph level, CUgraphNode node, CUgraphNode last_probe);
  CUresult Insert(const Clone& clone, std::span<const probe::ProbePlace> places,
                  std::uint32_t first);
  void CopyPriority(CUgraphNode from, CUgraphNode to);

  const driver::Calls& calls_;
  const ProbeTools& tools_;
  CUgraphNode head_ = nullptr;
  std::unordered_map<CUgraph, Edges> edges_;  // of each level, as they were
  struct Probe {
    std::uint32_t place;
    CUgraphNode node;
    probe::ProbeArguments arguments;
  };
  std::vector<Probe> probes_;
  std::uint32_t overlaps_lost_ = 0;
};

// The parameters of a probe that has these arguments, which must outlive the call they are for.
CUDA_KERNEL_NODE_PARAMS_v2 ProbeParameters(const ProbeTools& tools, bool statistics,
                                           unsigned blocks, void** arguments);
CUDA_KERNEL_NODE_PARAMS_v2 HeadParameters(const ProbeTools& tools, void** arguments);

}  // namespace graphtap::shadow
