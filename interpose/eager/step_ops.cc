#include "interpose/eager/step_ops.h"

#include "interpose/ops/tensors.h"
#include "proto/operator_node.h"

namespace graphtap::eager {

std::optional<std::uint32_t> StepOps::Begin(ops::Start start) {
  if (ops_->size() == kMost) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(ops_->size());
  record::Op& op = ops_->emplace_back();
  const bool leaf = start.kind == ops::Kind::kLeaf;
  op.kind = leaf ? record::OpKind::kLeaf : record::OpKind::kComposite;
  op.name = start.name;
  op.scope = start.scope;
  op.invocation = seen_[{start.scope, start.name}]++;
  op.parent = start.parent;
  op.stack = start.stack;
  forward_index_.push_back(start.parent ? forward_index_[*start.parent] : std::nullopt);
  AddForward(start, op.invocation);
  if (start.sequence && start.call) forward_index_.back() = new_forward_.size() - 1;
  if (start.backward && start.sequence) {
    FlushForward();
    forward_.Reach(*start.sequence);
  }
  if (start.gradients.empty()) return number;
  op.gradient = GradientOf(start, op);
  op.tensors = std::move(start.gradients);
  AddNode(number);
  return number;
}

void StepOps::AddForward(const ops::Start& start, std::uint32_t invocation) {
  if (!start.sequence || !start.call) return;
  const auto around = start.parent ? forward_index_[*start.parent] : std::nullopt;
  new_forward_.push_back(
      {*start.sequence, start.kind, start.name, start.scope, invocation, around});
}

void StepOps::AddInner(const ops::Start& start) { AddForward(start, 0); }

void StepOps::FlushForward() {
  if (new_forward_.empty()) return;
  forward_.Add(new_forward_);
  new_forward_.clear();
  forward_index_.assign(ops_->size(), std::nullopt);
}

// The backward pass reaches the last node of a composite operator first: what is known when a node
// begins is all that there will be.
record::Gradient StepOps::GradientOf(const ops::Start& start, const record::Op& op) {
  std::optional<record::Gradient> gradient;
  if (start.sequence) gradient = forward_.Of(*start.sequence);
  if (!gradient) gradient = record::Gradient{{}, op.scope, op.invocation};
  gradient->names.push_back(op.name);
  gradient->parameter = start.parameter;
  namer_.Name(&*gradient);
  return *std::move(gradient);
}

void StepOps::End(std::uint32_t op, std::vector<record::Tensor> tensors) {
  record::Op& ended = (*ops_)[op];
  if (tensors.empty() || !ended.tensors.empty()) return;
  ended.tensors = std::move(tensors);
  AddNode(op);
}

void StepOps::AddNode(std::uint32_t op) {
  record::Node node;
  node.index = node.position = static_cast<std::uint32_t>(nodes_.size());
  node.scope = (*ops_)[op].scope;
  node.op = op;
  node.ops = ops_;
  node.parameters.kind = kOperatorNode;
  for (const record::Tensor& tensor : (*ops_)[op].tensors) {
    const bool gradient = tensor.role == record::Role::kGradient;
    auto operand = ops::OperandOf(tensor, ops_, gradient ? std::optional(op) : std::nullopt);
    if (operand) node.parameters.operands.push_back(*std::move(operand));
  }
  if (!node.parameters.operands.empty()) nodes_.push_back(std::move(node));
}

std::vector<bool> StepOps::Kept() const {
  std::vector<bool> kept(ops_->size());
  for (std::uint32_t i = 0; i < ops_->size(); ++i) {
    if ((*ops_)[i].tensors.empty()) continue;
    for (std::optional at = i; at && !kept[*at]; at = (*ops_)[*at].parent) kept[*at] = true;
  }
  return kept;
}

graph::GraphModel StepOps::Model() const {
  const auto kept = Kept();
  auto ops = std::make_shared<std::vector<record::Op>>();
  std::vector<std::uint32_t> index(ops_->size());
  for (std::uint32_t i = 0; i < ops_->size(); ++i) {
    if (!kept[i]) continue;
    index[i] = static_cast<std::uint32_t>(ops->size());
    record::Op& op = ops->emplace_back((*ops_)[i]);
    if (op.parent) op.parent = index[*op.parent];
  }
  graph::GraphModel model;
  auto nodes = std::make_shared<std::vector<record::Node>>(nodes_);
  for (record::Node& node : *nodes) {
    node.op = index[*node.op];
    node.ops = ops;
    for (record::Operand& operand : node.parameters.operands) {
      if (operand.op) operand.op = index[*operand.op];
    }
  }
  model.nodes = std::move(nodes);
  model.ops = std::move(ops);
  return model;
}

}  // namespace graphtap::eager
