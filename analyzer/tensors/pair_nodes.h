// Pairing of nodes and of operators of one graph in two runs (pairing.h). What a node names pairs
// with what its partner names; what an operator gave, wrote or was handed back, with what its
// partner did, whichever kernels it runs. Pure functions of frozen graphs, any thread, no failure.
#pragma once

#include "analyzer/model/process.h"
#include "analyzer/tensors/pairing.h"

namespace graphtap::tensors {

using NodePairing = Pairing<model::Node>;
using OpPairing = Pairing<model::Op>;

// Only nodes that can be observed: kernels, copies, fills; none of an eager step. Alike: of the
// same element types and grid.
NodePairing PairNodes(const model::Graph& reference, const model::Graph& candidate);

// Only operators with tensors. Alike: these are of the same types and sizes.
OpPairing PairOps(const model::Graph& reference, const model::Graph& candidate);

}  // namespace graphtap::tensors
