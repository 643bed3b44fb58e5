// Splice: probe nodes put into a graph. Between: k -> d becomes k -> p -> d, for graphs of
// graphtap's own, with a head node before every root, which tells the probes slot and replay.
// Beside: k -> d stays and p joins before d, for graphs of the job's, of which nothing is removed.
// A programmatic edge's overlap is lost. Owner: the mirror, the graft. Threads: one at a time.
// Failure: the driver's error is handed back; probes that are there by then do nothing. Units:
// nodes, edges.
#pragma once

#include <map>
#include <unordered_map>
#include <unordered_set>
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

enum class Placement { kBetween, kBeside };

class Splice {
 public:
  Splice(const driver::Calls& calls, const ProbeTools& tools, Placement placement)
      : calls_(calls), tools_(tools), placement_(placement) {}

  // Into a whole graph: a probe for each place, and where they lie between, the head. Probes that
  // are there from before are used again; those without a place do nothing.
  CUresult Into(const GraphNodes& graph, std::span<const probe::ProbePlace> places);
  // Into a child graph: no head; of the places, those of nodes from `first` on, which are nodes 0
  // and on of the child.
  CUresult IntoChild(const GraphNodes& child, std::span<const probe::ProbePlace> places,
                     std::uint32_t first);

  // Sets what the probes do, where it changed. Those of other graphs are left out.
  CUresult SetArguments(const probe::Layout& layout, const probe::Plan& plan);
  // They are set anew the next time: the executable may be told something else.
  void ForgetArguments() noexcept;
  // No probe does anything in executables that are made from now on.
  CUresult Silence();

  bool Owns(CUgraphNode node) const { return own_.contains(node); }
  // Somebody else destroys the probe. False: it is none.
  bool Forget(CUgraphNode node);
  // Destroys the probes from the one with that index on, the last one first.
  CUresult TakeOut(std::size_t first);

  CUgraphNode head() const { return head_; }
  // Of a place; nullptr: there is none.
  CUgraphNode ProbeAt(std::uint32_t place) const;
  std::size_t size() const { return probes_.size(); }
  // The graphs that hold probes, each with its own.
  std::unordered_map<CUgraph, std::unordered_set<CUgraphNode>> Levels() const;
  std::uint32_t overlaps_lost() const { return overlaps_lost_; }

 private:
  // By the node they leave, of one level.
  using Edges = std::unordered_map<CUgraphNode, std::vector<graph::Edge>>;
  static constexpr std::uint32_t kNoPlace = UINT32_MAX;
  struct Probe {
    std::uint32_t place;
    CUgraph level;
    CUgraphNode behind;  // the node that is observed
    unsigned ordinal;    // among that node's probes
    CUgraphNode node;
    probe::ProbeKernel kernel;
    std::optional<std::vector<std::byte>> arguments;  // as they were set
  };

  CUresult ReadEdges(CUgraph level);
  CUresult AddHead(const GraphNodes& graph);
  CUresult Insert(const GraphNodes& graph, std::span<const probe::ProbePlace> places,
                  std::uint32_t first);
  CUresult AddProbe(CUgraph level, CUgraphNode after, Probe* probe);
  CUresult Join(CUgraph level, CUgraphNode node, CUgraphNode last_probe);
  CUresult Remove(CUgraph level, const graph::Edge& edge);
  CUresult Set(Probe* probe, probe::ProbeKernel kernel, probe::StridedArguments arguments);
  void CopyPriority(CUgraphNode from, CUgraphNode to);

  const driver::Calls& calls_;
  const ProbeTools& tools_;
  const Placement placement_;
  CUgraphNode head_ = nullptr;
  std::unordered_map<CUgraph, Edges> edges_;  // of each level, as they were
  std::vector<Probe> probes_;                 // in the order in which they were added
  std::map<std::pair<CUgraphNode, unsigned>, std::size_t> index_;  // by node and ordinal
  std::unordered_set<CUgraphNode> own_;
  std::uint32_t overlaps_lost_ = 0;
};

// The parameters of a probe that has these arguments (of a probe: StridedArguments, of which its
// kernel may take the first part alone), which must outlive the call they are for.
CUDA_KERNEL_NODE_PARAMS_v2 ProbeParameters(const ProbeTools& tools, probe::ProbeKernel kernel,
                                           void** arguments);
CUDA_KERNEL_NODE_PARAMS_v2 HeadParameters(const ProbeTools& tools, void** arguments);

}  // namespace graphtap::shadow
