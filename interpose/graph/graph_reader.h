// Graph reader: a graph of the driver as records: nodes of all levels, edges with data, parameters.
// Reads only; the graph is never changed. Owner: the caller, for one graph. Threads: one: the graph
// belongs to the call that the job is making. Failure: false if the driver refused to list the
// graph; a single node that cannot be read says so in its record. May throw bad_alloc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interpose/blocks/history.h"
#include "interpose/graph/own_nodes.h"
#include "interpose/graph/parameter_reader.h"
#include "interpose/ops/node_positions.h"
#include "interpose/ops/op_log.h"

namespace graphtap::graph {

// A conditional node as it was added: the driver tells neither its type nor its bodies later.
struct Conditional {
  CUgraphConditionalNodeType type{};
  std::vector<CUgraph> bodies;
};

// What only the hooks saw of the nodes of one graph.
struct NodeHints {
  std::unordered_map<CUgraphNode, record::StringId> scopes;
  std::unordered_map<CUgraphNode, Conditional> conditionals;
  ops::GraphOps ops;
  std::unordered_map<CUgraphNode, blocks::Interval> blocks;
};

struct GraphModel {
  record::GraphContents::Nodes nodes;  // never null once read
  std::vector<CUgraphNode> handles;    // of nodes, in the same order
  std::vector<CUgraph> levels;         // the graph that holds each of them
  std::uint32_t edge_count = 0;
  std::shared_ptr<const std::vector<record::Op>> ops;  // of all levels; never null once read
};

// The hints of a graph, of any level; never null.
using HintSource = std::function<std::shared_ptr<const NodeHints>(CUgraph graph)>;

class GraphReader {
 public:
  GraphReader(session::Session& session, ParameterReader& parameters, const OwnNodes& own,
              HintSource hints)
      : session_(session), parameters_(parameters), own_(own), hints_(std::move(hints)) {}

  bool Read(CUgraph graph, GraphModel* model);

 private:
  struct Level {
    std::optional<std::uint32_t> parent;
    std::optional<std::uint32_t> body;
  };

  bool ReadLevel(CUgraph graph, const Level& level, GraphModel* model);
  bool ReadEdges(CUgraph graph, const std::vector<CUgraphNode>& handles,
                 const std::vector<std::uint32_t>& indices, GraphModel* model);
  void OrderDependencies(CUgraphNode handle, const ops::NodePositions& positions,
                         record::Node* node);
  static void SetOp(CUgraphNode handle, const NodeHints& hints, std::uint32_t first_op,
                    record::Node* node);
  void AddTensors(GraphModel* model);
  void AddGradients(GraphModel* model);
  void SetBlocks();
  void ReadInside(CUgraphNode node, std::uint32_t index, const NodeHints& hints, GraphModel* model);
  record::NodeParameters ReadParameters(CUgraphNode node, CUgraphNodeType kind,
                                        const NodeHints& hints);
  record::NodeParameters ReadKernel(CUgraphNode node);

  session::Session& session_;
  ParameterReader& parameters_;
  const OwnNodes& own_;
  HintSource hints_;
  std::vector<record::Node> nodes_;                                // of the model, being read
  std::vector<record::Op> ops_;                                    // read so far
  std::vector<ops::Arrival> arrivals_;                             // their ops count in `ops_`
  std::unordered_map<std::uint32_t, blocks::Interval> intervals_;  // by index of the node
};

}  // namespace graphtap::graph
