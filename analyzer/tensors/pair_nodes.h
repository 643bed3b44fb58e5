// Pairing of nodes: which node of a graph is which node of the same graph in another run. By name
// and invocation where both graphs have the same names; else, because one more kernel shifts all
// later invocations, by the longest common subsequence of (name, element types, grid), then of
// names alone in the gaps, then by name what was moved. Pure function of frozen graphs, any thread,
// no failure.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/process.h"

namespace graphtap::tensors {

struct NodePairing {
  absl::flat_hash_map<const model::Node*, const model::Node*> candidate_of;
  absl::flat_hash_map<const model::Node*, const model::Node*> reference_of;
  std::vector<const model::Node*> removed;   // of the reference graph, without a partner
  std::vector<const model::Node*> inserted;  // of the candidate graph
  std::size_t moved = 0;                     // pairs that stand in another order
};

// Only nodes that can be observed: kernels, copies, fills.
NodePairing PairNodes(const model::Graph& reference, const model::Graph& candidate);

}  // namespace graphtap::tensors
