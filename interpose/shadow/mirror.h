// Mirror: a clone of what an executable of the job is now, with the probes in it. What the job
// changes is changed in the clone; the shadow is brought up from it when a sampled launch is due.
// Owner: the shadow. Threads: one at a time. Failure: a change that cannot be repeated leaves the
// mirror Lost() until the next whole-graph update. May throw bad_alloc. No units.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "interpose/graph/companion.h"
#include "interpose/graph/graphs.h"
#include "interpose/probe/slots.h"
#include "interpose/shadow/clone.h"
#include "interpose/shadow/known_nodes.h"
#include "interpose/shadow/splice.h"

namespace graphtap::shadow {

class Mirror {
 public:
  // `tools` must outlive the mirror.
  Mirror(session::Session& session, graph::Functions& functions,
         const memory::AddressBook& addresses, const ProbeTools& tools);
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  // The whole graph that the executable is made of, or is updated to.
  CUresult Take(CUgraph graph, record::GraphId id, const graph::GraphModel& model);

  // Changes of the job; see graph::Companion.
  void SetParameters(std::uint32_t node, const record::NodeParameters& parameters,
                     const graph::Companion::Apply& apply);
  void SetChild(std::uint32_t node, CUgraph child, const graph::GraphModel& model);
  void SetEnabled(std::uint32_t node, bool enabled);
  void Lose() noexcept { lost_ = true; }
  // What nodes are enabled is not known any more: no update brings it back.
  void LoseForGood() noexcept { lost_ = enabled_unknown_ = true; }
  bool Lost() const noexcept { return lost_; }

  // What the executable is now.
  record::GraphId graph() const { return id_; }
  std::span<const record::Node> nodes() const { return nodes_.All(); }
  // Memory has gone that pointers led to.
  void ForgetExtents() noexcept { nodes_.ForgetExtents(); }
  // Whether a plan of `nodes` is to be made anew.
  bool NeedsPlan() { return nodes_.NeedsPlan(); }
  // It was made, with these places.
  void SetPlan(std::vector<probe::ProbePlace> places);

  // The places of the probes; empty: a new plan may choose them, because the structure is new.
  const std::vector<probe::ProbePlace>& places() const { return places_; }

  // Brings the shadow to what the executable is now, and makes it where there is none.
  CUresult BringUp(const std::shared_ptr<const probe::Observed>& observed, std::uint64_t flags);
  CUresult SetHead(probe::HeadArguments arguments);
  CUgraphExec shadow() const { return shadow_; }
  void DropShadow() noexcept;
  // Lost until the next whole-graph update.
  void ReleaseClones() noexcept;
  // The context is gone: forgets all without a call of the driver.
  void Abandon() noexcept;

  std::uint32_t overlaps_lost() const;

 private:
  struct Spliced;
  Spliced* HolderOf(std::uint32_t node, std::uint32_t* first) const;
  CUresult Insert(const std::shared_ptr<const probe::Observed>& observed);
  CUresult InsertInto(Spliced* spliced, std::optional<std::uint32_t> child,
                      const std::shared_ptr<const probe::Observed>& observed);
  CUresult Instantiate(std::uint64_t flags);
  CUresult Update();
  CUresult ApplyChildren();
  CUresult ApplyEnabled(const std::map<std::uint32_t, bool>& states);

  session::Session& session_;
  const ProbeTools& tools_;
  record::GraphId id_{};
  KnownNodes nodes_;
  std::vector<probe::ProbePlace> places_;
  std::shared_ptr<Spliced> base_;    // what the shadow was instantiated from: its node handles
  std::shared_ptr<Spliced> source_;  // what the executable is now
  std::map<std::uint32_t, std::unique_ptr<Spliced>> children_;  // contents set since, by node
  std::map<std::uint32_t, bool> enabled_;                       // as the job set it
  std::map<std::uint32_t, bool> enabled_behind_;                // not yet in the shadow
  std::shared_ptr<const probe::Observed> applied_;              // what the shadow's probes do
  CUgraphExec shadow_ = nullptr;
  bool taken_ = false;  // a graph was taken
  bool paired_ = true;  // the indices of `nodes_` are those of the executable
  bool behind_ = false, lost_ = false;
  bool enabled_unknown_ = false;
};

}  // namespace graphtap::shadow
