// Graft: probes in a graph of the job's own, which cannot be cloned. They stay beside what is there
// and run in every replay; one executable's Cell tells them in which to leave values.
// Owner: the table of grafts as long as the graph lives, and the executable made of it. Threads:
// one at a time, as for the graph. Failure: the driver's error is handed back; probes that are
// there by then do nothing. May throw bad_alloc. Units: nodes.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "interpose/graph/graphs.h"
#include "interpose/shadow/splice.h"

namespace graphtap::shadow {

// The Cell of one executable; it holds no slot but during a sampled replay. It goes back to the
// device when no graph's probes are told of it any more.
class OwnedCell {
 public:
  // nullptr: the device has no memory. The context is entered.
  static std::shared_ptr<OwnedCell> Make(probe::Device& device);
  ~OwnedCell();
  OwnedCell(const OwnedCell&) = delete;
  OwnedCell& operator=(const OwnedCell&) = delete;

  std::uint64_t address() const { return address_; }
  // It may hold a slot for ever: nobody else is to get it.
  void Spoil() noexcept { spoiled_ = true; }

 private:
  OwnedCell(probe::Device& device, std::uint64_t address) : device_(device), address_(address) {}

  probe::Device& device_;
  const std::uint64_t address_;
  std::atomic<bool> spoiled_{false};
};

class Graft {
 public:
  // `removable`: the driver lets nodes of this graph be destroyed.
  Graft(const driver::Calls& calls, graph::OwnNodes& own, probe::Device& device, bool removable);
  ~Graft();
  Graft(const Graft&) = delete;
  Graft& operator=(const Graft&) = delete;

  // A probe for each place of the layout, that finds its slot in `cell`; probes without a place do
  // nothing.
  CUresult Plant(CUgraph graph, const graph::GraphModel& model, const probe::Layout& layout,
                 const probe::Plan& plan, std::shared_ptr<OwnedCell> cell);
  // No probe does anything in what is made of the graph from now on.
  CUresult Silence();
  // Takes all probes out. False: they have to stay.
  bool TakeOut();
  // The job is about to destroy a node of this graph, or a probe. Without it the probes may have
  // nothing to observe: all leave.
  bool Has(CUgraphNode node) const { return nodes_.contains(node) || splice_.Owns(node); }
  void NodeLeaves(CUgraphNode node);

  // The probe at a place; nullptr: there is none, or the graph is gone.
  CUgraphNode ProbeAt(std::uint32_t place) const;
  const ProbeTools& tools() const { return tools_; }
  std::uint32_t overlaps_lost() const { return splice_.overlaps_lost(); }
  std::size_t size() const { return splice_.size(); }

  // The graph is about to be destroyed, or is not after all.
  void Leave(bool leaves) noexcept;

  // An executable with probes is made of it: its nodes name those of the executable.
  bool in_use() const noexcept { return in_use_.load(); }
  void SetInUse(bool in_use) noexcept { in_use_.store(in_use); }

 private:
  void TellOwn();

  graph::OwnNodes& own_;
  ProbeTools tools_;
  Splice splice_;
  const bool removable_;
  std::shared_ptr<OwnedCell> cell_;
  std::unordered_map<CUgraph, graph::OwnNodes::Set> levels_;  // as told
  graph::OwnNodes::Set nodes_;                                // the job's, when the probes came
  std::atomic<bool> in_use_{false}, gone_{false};
};

// All grafts, by the outermost graph.
class Grafts {
 public:
  std::shared_ptr<Graft> Find(CUgraph graph) const;
  void Add(CUgraph graph, std::shared_ptr<Graft> graft);
  std::shared_ptr<Graft> Take(CUgraph graph) noexcept;
  void NodeLeaves(CUgraphNode node);

 private:
  mutable std::mutex mutex_;  // guards all below
  std::unordered_map<CUgraph, std::shared_ptr<Graft>> grafts_;
};

}  // namespace graphtap::shadow
