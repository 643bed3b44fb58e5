// GraphsReport: what is in each graph version: scopes, nodes, kernels, operands, edges; which
// executables were made of it, how they were changed and replayed.
// Pure functions of the frozen run, any thread, no failure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/model/graph_selection.h"
#include "analyzer/model/run.h"

namespace graphtap::report {

// A graph of at most this many nodes is listed node by node without being asked.
inline constexpr std::size_t kListedNodes = 16;

struct GraphsOptions {
  std::size_t limit = 0;  // graphs, and rows of each table; 0: all
  bool nodes = false;     // list the nodes of larger graphs too
};

using Graphs = std::vector<model::SelectedGraph>;

std::string GraphsText(const Graphs& graphs, const GraphsOptions& options);
nlohmann::ordered_json GraphsJson(const model::Run& run, const Graphs& graphs,
                                  const GraphsOptions& options);
// One `digraph` of Graphviz for each graph.
std::string GraphsDot(const Graphs& graphs, const GraphsOptions& options);

}  // namespace graphtap::report
