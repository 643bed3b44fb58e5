// Graph and Node: what a CUgraph and a CUgraphNode stand for. Owner: a graph owns its nodes, a node
// owns the graphs embedded in it; top-level graphs belong to the caller of cuGraphCreate, Clone
// or EndCapture. Threads: all under GraphLock. Failure: CUresult. Nodes keep their order of
// creation. Links have the order in which they were made, by which executable updates pair nodes,
// but the last one takes the place of one that is removed.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "tests/hostcuda/driver/work.h"
#include "tests/hostcuda/graph/user_object.h"

namespace hostcuda {

class Graph;
struct Node;

using EmbeddedGraphs = std::vector<std::unique_ptr<Graph>>;

struct Link {
  Node* node;
  CUgraphEdgeData data;
};

// What cuGraphKernelNodeGetParams points to; it lives until the node's parameters change.
struct KernelArgumentView {
  std::vector<std::byte> bytes;
  std::vector<void*> parameters;
  std::size_t size = 0;
  void* extra[5] = {};
};

struct Node {
  std::uint64_t id = 0;  // never reused, unlike the handle
  Graph* graph = nullptr;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  std::shared_ptr<const Work> work;   // shared with executables: replaced, never changed
  EmbeddedGraphs embedded;            // one of a child node, the bodies of a conditional node
  std::vector<CUgraph> body_handles;  // as the caller sees them, for the node's life
  std::vector<Link> dependencies;
  std::vector<Link> dependents;
  std::uint64_t sink_order = 0;  // rises each time the node becomes one without dependents
  std::unique_ptr<KernelArgumentView> view;

  void SetWork(std::shared_ptr<const Work> next);
  ~Node();
};

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Node& AddNode(CUgraphNodeType type, std::shared_ptr<const Work> work,
                EmbeddedGraphs embedded = {});
  // INVALID_VALUE: a node of another graph, the same edge twice, an edge to itself, data that such
  // an edge cannot have.
  CUresult Connect(Node& from, Node& to, const CUgraphEdgeData& data);
  // INVALID_VALUE: no such edge, or one with other data; default data stands for any.
  CUresult Disconnect(Node& from, Node& to, const CUgraphEdgeData& data);
  void Remove(Node& node);

  std::unique_ptr<Graph> Clone() const;
  // The node of this graph that was made from `original`, or null.
  Node* FindClone(const Node& original) const;

  std::uint64_t id() const { return id_; }
  std::span<const std::unique_ptr<Node>> nodes() const { return nodes_; }
  // Nodes without dependents, in the order in which they became that.
  std::vector<const Node*> Sinks() const;
  UserObjectSet& user_objects() { return *user_objects_; }
  const UserObjectSet& user_objects() const { return *user_objects_; }

  // A graph in a node of another, or one that a capture is filling: its handle cannot be destroyed.
  Graph* parent = nullptr;  // the graph of that node
  bool is_body = false;     // of a conditional node
  bool capturing = false;

  // The variables made for this graph, with a node or without.
  std::vector<std::shared_ptr<Conditional>> conditionals;
  bool HasConditionalNodes() const { return conditional_nodes_ != 0; }

  // Whether it allocates or frees memory, or a graph that was moved into it does: known once a new
  // node, with its edges, was noted.
  void NoteMemory(const Node& node);
  bool HasMemoryNodes() const { return has_memory_nodes_; }
  // Lives as long as the latest executable made of it.
  std::weak_ptr<void> instantiated;

 private:
  void BecomeSink(Node& node) { node.sink_order = ++sink_count_; }

  std::uint64_t id_;
  std::uint64_t sink_count_ = 0;
  unsigned conditional_nodes_ = 0;
  bool has_memory_nodes_ = false;  // they cannot be removed
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unique_ptr<UserObjectSet> user_objects_ = std::make_unique<UserObjectSet>();
  std::unordered_map<std::uint64_t, Node*> clones_;  // by the original's id
  std::unordered_map<const Node*, std::uint64_t> originals_;
};

bool IsDefault(const CUgraphEdgeData& data);
// True for the default, and for programmatic dependencies between two kernels.
bool IsAllowed(const CUgraphEdgeData& data, const Node& from, const Node& to);
bool SameEdgeData(const CUgraphEdgeData& left, const CUgraphEdgeData& right);

}  // namespace hostcuda
