// Op log: the operators of a framework that ran during one capture, and which nodes each of them
// added. A node is the newest of its capture when it is added, so the newest nodes at the begin and
// at the end of an op cut what it added out of the order of creation.
// Owner: the capture. Threads: any; ops of one thread are nested. Threads that capture at the same
// time on streams of one capture may get each other's nodes. Failure: bad_alloc. Units: bytes.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "interpose/abi/adapter.h"
#include "interpose/driver/driver.h"
#include "interpose/ops/forward_ops.h"
#include "interpose/record/op_records.h"

namespace graphtap::ops {

// What is known of an op at its begin.
struct Start {
  Kind kind = Kind::kLeaf;
  record::StringId name{};
  std::optional<record::StringId> scope;
  std::optional<std::uint32_t> parent;  // number of the op around it
  bool call = false;                    // of an operator; else a range
  bool backward = false;                // a node of the backward pass
  std::optional<Sequence> sequence{};
  std::vector<record::Tensor> gradients{};  // of a node of the backward pass
  std::optional<record::StackId> stack{};   // where it was called
  // The address of the parameter that its gradient is added to.
  std::optional<std::uint64_t> parameter{};
};

// What an adapter tells of it; scope, parent and stack are the caller's.
Start StartOf(const GraphtapOp& op, record::StringId name);

// Of one node.
struct NodeOp {
  std::uint32_t op = 0;                      // index among the ops of the graph
  std::optional<record::StringId> inner_op;  // the innermost operator in it, if that is another
};

// Of a node of the backward pass: where its gradients are there.
struct Arrival {
  std::uint32_t op = 0;  // index among the ops of the graph
  // The newest node of its stream when it began, if there was one alone, and the first that it
  // added: behind it, if the op does not write its gradients. nullptr: none.
  CUgraphNode before = nullptr, first = nullptr;
};

// What a graph keeps of the log.
struct GraphOps {
  std::vector<record::Op> ops;
  std::unordered_map<CUgraphNode, NodeOp> nodes;
  std::vector<Arrival> arrivals;
  std::unordered_map<CUgraphNode, record::StackId> stacks;  // of what was launched outside leaves
};

// Adds those of a later capture into the same graph.
void Append(GraphOps more, GraphOps* ops);

// Adds ops behind others of one graph: their invocations count on. Returns the first one's index.
std::uint32_t AppendOps(const std::vector<record::Op>& more, std::vector<record::Op>* ops);

class OpLog {
 public:
  // The begin or the end of an op.
  struct Edge {
    std::vector<CUgraphNode> newest;  // the last nodes of its stream
    std::uint64_t moment = 0;         // of the allocator
  };
  // Returns the op's number.
  std::uint32_t Begin(Start start, Edge edge);
  void End(std::uint32_t op, Edge edge, std::vector<record::Tensor> tensors);

  // What was launched outside of all leaves: where.
  void Launch(CUgraphNode node, record::StackId stack);

  // At the end of the capture. `nodes`: all of the graph in the order of creation; the first
  // `existing` were there before. Ops without nodes and tensors are left out. Those that the
  // backward pass may go back through are added to `forward`.
  GraphOps Resolve(std::span<const CUgraphNode> nodes, std::size_t existing,
                   ForwardOps* forward) const;

  // The moments that each node was added between, `begin` and `end` being those of the capture.
  struct Interval {
    std::uint64_t begin, end;
  };
  std::vector<Interval> Moments(std::span<const CUgraphNode> nodes, std::size_t existing,
                                Interval capture) const;

 private:
  struct Event {
    Start start;
    std::size_t begin = 0;           // index of its edge
    std::optional<std::size_t> end;  // none: it has not ended
    std::vector<record::Tensor> tensors;
  };
  // Of one node: the op that it is said to be of, and the innermost one; none: no op ran.
  struct Owner {
    std::optional<std::uint32_t> event, inner;
  };

  std::vector<std::size_t> Cuts(std::span<const CUgraphNode> nodes, std::size_t existing) const;
  std::vector<Owner> Owners(const std::vector<std::size_t>& cuts, std::size_t nodes) const;
  std::vector<bool> Kept(const std::vector<Owner>& owners) const;
  std::vector<std::uint32_t> Invocations() const;
  void AddForward(const std::vector<std::uint32_t>& invocations, ForwardOps* forward) const;
  record::Op OpOf(const Event& event, std::uint32_t invocation, const ForwardOps& forward) const;
  Arrival ArrivalOf(const Event& event, std::span<const CUgraphNode> nodes,
                    const std::vector<std::size_t>& cuts) const;

  mutable std::mutex mutex_;  // guards all below
  std::vector<Event> events_;
  std::vector<Edge> edges_;  // in time
  std::unordered_map<CUgraphNode, record::StackId> stacks_;
};

}  // namespace graphtap::ops
