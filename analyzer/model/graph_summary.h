// GraphSummary: what is worth saying of a graph version without listing its nodes.
// A pure function of the frozen tables, any thread, no failure. Units: counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/model/process.h"

namespace graphtap::model {

struct ScopeCount {
  std::string scope;  // "" outside all ranges
  std::uint64_t nodes = 0, kernels = 0;
};

struct KernelCount {
  std::string short_name;
  std::uint64_t nodes = 0;
  std::uint64_t variants = 0;     // different functions of this short name
  std::uint64_t shapes = 0;       // different pairs of grid and block
  const Node* example = nullptr;  // the first such node
};

// Operators of one name, of those that are the unit of naming.
struct OpCount {
  std::string label;  // "aten::add.Tensor"
  std::uint64_t ops = 0, nodes = 0;
  std::uint64_t outputs = 0, inputs = 0;  // tensors that they gave, and that they wrote
};

// Nodes that one region of compiled code launched, from one place.
struct RegionCount {
  const Node* example = nullptr;  // the first
  std::uint64_t nodes = 0;
};

struct OperandCount {
  std::uint64_t all = 0, exact = 0, host = 0;
  std::map<Operand::Grade, std::uint64_t> by_grade;
};

struct GraphSummary {
  std::map<std::uint32_t, std::uint64_t> kinds;  // CUgraphNodeType → nodes
  std::uint64_t edges = 0, programmatic_edges = 0;
  std::vector<ScopeCount> scopes;    // in the order of their first nodes
  std::vector<KernelCount> kernels;  // the most frequent first
  std::vector<OpCount> ops;          // the most frequent first
  std::vector<RegionCount> regions;  // in the order of their first nodes
  std::uint64_t nodes_with_op = 0;
  std::uint64_t gradients = 0;  // that flow into backward nodes
  OperandCount operands;
  std::uint64_t unread_nodes = 0;   // which the driver refused to describe
  std::uint64_t missing_nodes = 0;  // lost from the file
};

GraphSummary Summarize(const Graph& graph);

// The updates of an executable, those of one call, outcome and incoming graph taken together.
struct UpdateGroup {
  std::string call;
  std::uint32_t result = 0, update_result = 0;
  const Graph* graph = nullptr;
  bool destroyed = false;
  std::uint64_t count = 0;
  std::uint64_t nodes = 0;                        // different nodes that were set
  std::uint64_t first_after = 0, last_after = 0;  // replays before the first and the last of them
};

std::vector<UpdateGroup> GroupUpdates(const Process& process, const Executable& executable);

}  // namespace graphtap::model
