// Site book: what of one executable is observed, as the run file knows it: makes plans, defines
// sites, records refusals, and counts them for the rules. Owner: the shadow. Threads: one at a
// time. Failure: may throw bad_alloc. Units: sites.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "interpose/graph/functions.h"
#include "interpose/graph/graphs.h"
#include "interpose/probe/graph_memory.h"
#include "interpose/probe/slots.h"
#include "interpose/shadow/splice.h"
#include "interpose/values/actions.h"

namespace graphtap::shadow {

// Kernel names, demangled once. Threads: any.
class KernelNameCache {
 public:
  explicit KernelNameCache(graph::Functions& functions) : functions_(functions) {}
  const probe::KernelNames& Of(record::FunctionId function);

 private:
  graph::Functions& functions_;
  std::mutex mutex_;
  std::map<record::FunctionId, probe::KernelNames> names_;  // never erased: references stay valid
};

class SiteBook {
 public:
  SiteBook(session::Session& session, graph::Graphs& graphs, const memory::AddressBook& addresses,
           KernelNameCache& names, values::Actions& actions, std::uint32_t executable)
      : session_(session),
        graphs_(graphs),
        addresses_(addresses),
        names_(names),
        actions_(actions),
        executable_(executable) {}
  ~SiteBook();

  // What the specification selects of these nodes. The graph's context is current.
  // Beside the nodes of the job's own graph none is inside a child graph, whose contents the job
  // may set anew, without probes.
  probe::Plan Select(const std::string& graph_key, std::span<const record::Node> nodes,
                     Placement placement = Placement::kBetween);
  // The same of the last one alone, which is an operator.
  probe::Plan SelectLast(const std::string& graph_key, std::span<const record::Node> nodes);

  // Whether a kernel of the current context may still read it, after the job has freed memory.
  bool StillThere(const probe::PlannedSite& site);

  // Lays the plan out. `places`: that are there; empty: there may be any.
  probe::Layout Lay(probe::Plan* plan, std::vector<probe::ProbePlace> places, probe::Stamps stamps);

  // The same, and defines the sites; what did not change keeps its id.
  std::shared_ptr<const probe::Observed> Define(record::GraphId graph,
                                                std::span<const record::Node> nodes,
                                                probe::Plan plan,
                                                std::vector<probe::ProbePlace> places,
                                                probe::Stamps stamps = probe::Stamps::kNone);
  // The same, of a plan that is laid out.
  std::shared_ptr<const probe::Observed> DefineLaid(record::GraphId graph,
                                                    std::span<const record::Node> nodes,
                                                    probe::Plan plan, probe::Layout layout);

  // What was refused stands for other nodes: it is recorded again.
  void ForgetRefusals() noexcept { told_.clear(); }

  // A slot takes at most this share of the budget, so that two can be in flight.
  std::uint64_t MostSlotBytes() const { return session_.settings().device_bytes / 2; }

 private:
  probe::PlanSource SourceOf(const std::string& graph_key);
  bool Readable(std::uint64_t address, std::uint64_t bytes) const;
  bool OnOtherDevice(std::uint64_t address) const;
  probe::GraphMemory MemoryOf(std::span<const record::Node> nodes) const;
  using RuleCounts = std::map<std::uint32_t, std::uint64_t>;
  record::SiteId DefineSite(record::GraphId graph, const record::Node& node,
                            const probe::PlannedSite& site);
  void RecordRefusals(record::GraphId graph, std::span<const record::Node> nodes,
                      const std::vector<probe::RefusedSite>& refused);
  void CountGrowth(record::RuleCount what, const RuleCounts& now);

  session::Session& session_;
  graph::Graphs& graphs_;
  const memory::AddressBook& addresses_;
  KernelNameCache& names_;
  values::Actions& actions_;
  const std::uint32_t executable_;
  std::map<std::string, std::shared_ptr<values::Watched>> watched_;  // by label
  record::GraphId graph_{};
  std::shared_ptr<const probe::Observed> latest_;
  probe::GraphMemory graph_memory_;                                // of the nodes of the latest
  std::set<std::tuple<std::uint32_t, std::uint32_t, Skip>> told_;  // refusals in the file
  std::map<record::RuleCount, RuleCounts> counted_;                // the most at any time
};

}  // namespace graphtap::shadow
