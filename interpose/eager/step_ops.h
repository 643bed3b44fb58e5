// Step ops: the operators of one step outside of captures, in the order in which they began, and
// those whose values can be observed as nodes of a graph: a leaf when it ends, a node of the
// backward pass when it begins. Owner: the step. Threads: one at a time. Failure: bad_alloc;
// operators beyond kMost are left out. Units: operators.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interpose/graph/graph_reader.h"
#include "interpose/ops/gradient_namer.h"
#include "interpose/ops/op_log.h"

namespace graphtap::eager {

class StepOps {
 public:
  static constexpr std::size_t kMost = 1 << 16;

  // `forward`: what the backward pass may go back through, of all steps.
  StepOps(ops::ForwardOps& forward, ops::NameOfParameter name_of)
      : forward_(forward), namer_(std::move(name_of)) {}

  // A leaf or a composite operator: its number. nullopt: there are too many.
  std::optional<std::uint32_t> Begin(ops::Start start);
  void End(std::uint32_t op, std::vector<record::Tensor> tensors);
  // An operator inside a leaf, which the backward pass may go back through.
  void AddInner(const ops::Start& start);

  // The step is over: later ones may go back through its operators.
  void Finish() { FlushForward(); }

  std::span<const record::Node> nodes() const { return nodes_; }

  // As a graph. Operators without tensors are left out, but for those around others.
  graph::GraphModel Model() const;

 private:
  void AddForward(const ops::Start& start, std::uint32_t invocation);
  void FlushForward();
  record::Gradient GradientOf(const ops::Start& start, const record::Op& op);
  void AddNode(std::uint32_t op);
  std::vector<bool> Kept() const;

  ops::ForwardOps& forward_;
  ops::GradientNamer namer_;
  std::shared_ptr<std::vector<record::Op>> ops_ = std::make_shared<std::vector<record::Op>>();
  std::vector<record::Node> nodes_;
  using Name = std::pair<std::optional<record::StringId>, record::StringId>;
  std::map<Name, std::uint32_t> seen_;
  // Not yet among `forward_`, and where the op, or the next one around it that is, stands there.
  std::vector<ops::ForwardOp> new_forward_;
  std::vector<std::optional<std::uint32_t>> forward_index_;
};

}  // namespace graphtap::eager
