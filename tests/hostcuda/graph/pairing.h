// Pairing: which node of a graph takes the place of which node of an executable, by the rules of
// cuGraphExecUpdate: sinks are paired from the last to the first, then, breadth first, dependencies
// in the order of the edges. Owner: values. Threads: under GraphLock. Failure: an update result
// with the nodes that it blames.
#pragma once

#include <cuda.h>

#include <memory>

#include "tests/hostcuda/graph/program.h"

namespace hostcuda {

struct UpdateOutcome {
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  const Node* error_node = nullptr;
  const Node* error_from = nullptr;
};

// Takes the parameters of `graph` into a copy of `current`, which stays as it is; nodes keep
// whether they are enabled. *updated is set on success alone.
UpdateOutcome MakeUpdatedState(const ProgramShape& shape, const ProgramState& current,
                               const Graph& graph, std::shared_ptr<ProgramState>* updated);

// Whether an executable's node may change from `current` to `next`, parameters of the same kind.
CUgraphExecUpdateResult CheckChange(const Work& current, const Work& next);

}  // namespace hostcuda
