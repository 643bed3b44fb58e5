#include "interpose/record/graph_contents.h"

#include <xxhash.h>

#include <new>
#include <string>

#include "interpose/record/encoder.h"

namespace graphtap::record {
namespace {

std::uint64_t BytesOf(const std::vector<Node>& nodes, const std::vector<Op>& ops) {
  std::uint64_t bytes = nodes.size() * sizeof(Node) + ops.size() * sizeof(Op);
  for (const Node& node : nodes) {
    bytes += node.parameters.operands.size() * sizeof(Operand);
    if (!node.parameters.kernel) continue;
    for (const Scalar& scalar : node.parameters.kernel->scalars) {
      bytes += sizeof(Scalar) + scalar.bytes.size();
    }
  }
  for (const Op& op : ops) bytes += op.tensors.size() * sizeof(Tensor);
  return bytes;
}

}  // namespace

GraphContents::GraphContents(Nodes nodes, Ops ops)
    : count_(static_cast<std::uint32_t>(nodes->size() + ops->size())),
      bytes_(BytesOf(*nodes, *ops)),
      nodes_(std::move(nodes)),
      ops_(std::move(ops)) {}

void GraphContents::Encode(GraphId graph, const Put& put) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  std::string body, message;
  const auto add = [&](std::string_view content) {
    XXH3_64bits_update(state.get(), content.data(), content.size());
    put(message);
    message.clear();
  };
  for (const Node& node : *nodes_) add(record::Encode(graph, node, &body, &message));
  for (std::uint32_t i = 0; i < ops_->size(); ++i) {
    add(record::Encode(graph, i, (*ops_)[i], &body, &message));
  }
  fingerprint_ = XXH3_64bits_digest(state.get());
}

void GraphContents::TakeMessages(GraphId graph, const Put& put) {
  const std::lock_guard lock(mutex_);
  if (nodes_ == nullptr) return;
  Encode(graph, put);
  nodes_ = nullptr;
  ops_ = nullptr;
}

std::uint64_t GraphContents::Fingerprint() {
  const std::lock_guard lock(mutex_);
  if (!fingerprint_) Encode(GraphId{}, [](std::string_view) {});
  return *fingerprint_;
}

}  // namespace graphtap::record
