// ProgramShape and ProgramState: what an executable runs. The shape (nodes, order, edges) is fixed
// at instantiation; the state (parameters, enabled or not) is replaced by set-params and updates,
// while launches in flight keep the one they were launched with. Owner: shared by the executable
// and its launches. Threads: immutable once a launch holds it. Failure: null where the graph has a
// cycle.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tests/hostcuda/graph/graph.h"

namespace hostcuda {

struct ProgramShape;

struct ShapeLink {
  std::uint32_t node;
  CUgraphEdgeData data;
};

struct ShapeNode {
  std::uint64_t id;  // of the node in the graph that was instantiated
  CUgraphNodeType type;
  std::vector<ShapeLink> dependencies;
  std::vector<std::shared_ptr<const ProgramShape>> embedded;
};

struct ProgramShape {
  std::vector<ShapeNode> nodes;      // as the graph lists them
  std::vector<std::uint32_t> order;  // a topological order, by creation where it is free
  std::vector<std::uint32_t> sinks;
  std::unordered_map<std::uint64_t, std::uint32_t> index;  // by node id
};

struct ProgramState;

struct ProgramStep {
  std::shared_ptr<const Work> work;
  bool enabled = true;
  std::vector<std::shared_ptr<const ProgramState>> embedded;
};

struct ProgramState {
  std::vector<ProgramStep> steps;  // one for each node of the shape
  std::vector<std::shared_ptr<Conditional>> conditionals;
};

// Null if the graph or an embedded one has a cycle; *error is then a node on or behind it.
std::shared_ptr<const ProgramShape> MakeShape(const Graph& graph, const Node** error);

// The parameters that `graph`, whose shape is `shape`, has now.
std::shared_ptr<ProgramState> MakeState(const Graph& graph);

// Where a node is: the nodes to go through, each with the graph in it, then its own index.
struct PathPart {
  std::uint32_t node = 0;
  std::uint32_t graph = 0;
};
using ProgramPath = std::vector<PathPart>;
std::optional<ProgramPath> FindNode(const ProgramShape& shape, std::uint64_t node_id);

const ProgramStep& StepAt(const ProgramState& state, const ProgramPath& path);
// `state` with one step replaced; embedded states on the way are copied, `state` itself is changed.
void ReplaceStep(ProgramState& state, std::span<const PathPart> path, ProgramStep step);
const ShapeNode& ShapeAt(const ProgramShape& shape, const ProgramPath& path);

}  // namespace hostcuda
