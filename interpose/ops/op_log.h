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

#include "interpose/driver/driver.h"
#include "interpose/record/op_records.h"

namespace graphtap::ops {

enum class Kind : std::uint8_t { kLeaf, kComposite, kInner };

// What is known of an op at its begin.
struct Start {
  Kind kind = Kind::kLeaf;
  record::StringId name{};
  std::optional<record::StringId> scope;
  std::optional<std::uint32_t> parent;  // number of the op around it
};

// Of one node.
struct NodeOp {
  std::uint32_t op = 0;                      // index among the ops of the graph
  std::optional<record::StringId> inner_op;  // the innermost operator in it, if that is another
};

// What a graph keeps of the log.
struct GraphOps {
  std::vector<record::Op> ops;
  std::unordered_map<CUgraphNode, NodeOp> nodes;
};

// Adds those of a later capture into the same graph.
void Append(GraphOps more, GraphOps* ops);

class OpLog {
 public:
  // `newest`: the last nodes of the op's streams. Returns its number.
  std::uint32_t Begin(const Start& start, std::vector<CUgraphNode> newest);
  void End(std::uint32_t op, std::vector<CUgraphNode> newest, std::vector<record::Tensor> tensors);

  // At the end of the capture. `nodes`: all of the graph in the order of creation; the first
  // `existing` were there before. Ops without nodes and tensors are left out.
  GraphOps Resolve(std::span<const CUgraphNode> nodes, std::size_t existing) const;

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

  mutable std::mutex mutex_;  // guards all below
  std::vector<Event> events_;
  std::vector<std::vector<CUgraphNode>> edges_;  // the newest nodes at each begin and end, in time
};

}  // namespace graphtap::ops
