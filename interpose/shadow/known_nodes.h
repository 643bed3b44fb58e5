// Known nodes: what the nodes of an executable do now: as its graph had them, with what the job has
// set since. Owner: whoever follows the changes of one executable. Threads: one at a time.
// Failure: may throw bad_alloc. Units: bytes.
#pragma once

#include <span>
#include <vector>

#include "interpose/graph/graph_reader.h"

namespace graphtap::shadow {

class KnownNodes {
 public:
  KnownNodes(session::Session& session, graph::Functions& functions,
             const memory::AddressBook& addresses)
      : session_(session), functions_(functions), addresses_(addresses) {}

  std::span<const record::Node> All() const { return nodes_; }
  bool Has(std::uint32_t node) const { return node < nodes_.size(); }

  // Of a whole graph.
  void Take(const graph::GraphModel& model);
  // Whether nodes of the same index are pairs for the driver, which goes by edges.
  bool SameStructure(const graph::GraphModel& model) const;

  void SetParameters(std::uint32_t node, const record::NodeParameters& parameters);

  // The contents of a child graph node, which stand behind it.
  bool SameStructureInside(std::uint32_t node, const graph::GraphModel& child) const;
  void SetInside(std::uint32_t node, const graph::GraphModel& child);
  std::size_t CountInside(std::uint32_t node) const;

  // Memory has gone that pointers led to.
  void ForgetExtents() noexcept { extents_old_ = replan_ = true; }
  // Whether a plan of the nodes is to be made anew.
  bool NeedsPlan();
  void Planned() noexcept { replan_ = false; }

 private:
  void SetExtents();

  session::Session& session_;
  graph::Functions& functions_;
  const memory::AddressBook& addresses_;
  std::vector<record::Node> nodes_;
  bool replan_ = false, extents_old_ = false;
};

}  // namespace graphtap::shadow
