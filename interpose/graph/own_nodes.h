// Own nodes: those that graphtap has put into graphs of the job. Whoever reads such a graph passes
// them by, so that its nodes are the job's, in the job's order. Owner: the graphs. Threads: any.
// Failure: may throw bad_alloc. No units.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "interpose/driver/driver.h"

namespace graphtap::graph {

class OwnNodes {
 public:
  using Set = std::unordered_set<CUgraphNode>;

  // All that are in this graph, of any level, now.
  void Tell(CUgraph level, Set nodes);
  void Forget(CUgraph level) noexcept;

  // Never null.
  std::shared_ptr<const Set> In(CUgraph level) const;

 private:
  mutable std::mutex mutex_;  // guards all below
  std::unordered_map<CUgraph, std::shared_ptr<const Set>> levels_;
};

}  // namespace graphtap::graph
