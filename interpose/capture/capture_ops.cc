// The operators that an adapter tells of, put into the capture that their stream takes part in. The
// driver is asked on the op's own thread, about the op's own stream.
#include "interpose/capture/captures.h"
#include "interpose/nvtx/ranges.h"
#include "interpose/ops/tensors.h"
#include "interpose/ops/thread_ops.h"

namespace graphtap::capture {
namespace {

ops::Kind KindOf(std::uint32_t kind) {
  switch (kind) {
    case GRAPHTAP_OP_LEAF:
      return ops::Kind::kLeaf;
    case GRAPHTAP_OP_INNER:
      return ops::Kind::kInner;
    default:
      return ops::Kind::kComposite;
  }
}

// What is open while something fails is open all the same.
class PushedAtEnd {
 public:
  ~PushedAtEnd() { ops::Push(op); }
  ops::OpenOp op;
};

}  // namespace

void Captures::OnOpBegin(const GraphtapOp& op, const session::StreamRef& stream) {
  PushedAtEnd pushed;
  if (!AnyOpen()) return;
  Info info = Ask(stream);
  const auto open = info.active ? Find(info.id) : nullptr;
  if (open == nullptr) return;
  ops::Start start;
  start.kind = KindOf(op.kind);
  start.name = graphs_.InternName(op.name);
  pushed.op.name = start.name;
  pushed.op.leaf = start.kind == ops::Kind::kLeaf;
  // Ranges are counted by thread.
  if (open->thread == std::this_thread::get_id()) {
    const std::string scope = nvtx::PathFrom(open->first_range);
    if (!scope.empty()) start.scope = graphs_.InternName(scope);
  }
  start.parent = ops::Innermost(info.id);
  start.call = (op.flags & GRAPHTAP_OP_CALL) != 0;
  start.backward = (op.flags & GRAPHTAP_OP_BACKWARD) != 0;
  if ((op.flags & GRAPHTAP_OP_SEQUENCED) != 0) start.sequence = {op.thread, op.sequence};
  start.gradients = ops::Tensors(op);
  if (start.kind != ops::Kind::kInner) start.stack = stacks_.Current();
  pushed.op.stream = stream;
  pushed.op.number =
      open->ops.Begin(std::move(start), {std::move(info.last_nodes), allocator_.Moment()});
  pushed.op.capture = info.id;
}

void Captures::OnOpEnd(const GraphtapOpResult& result) {
  const auto op = ops::Pop();
  if (!op || op->capture == 0) return;
  const auto open = Find(op->capture);
  if (open == nullptr) return;
  Info info = Ask(op->stream);
  if (!info.active || info.id != op->capture) info.last_nodes.clear();
  open->ops.End(op->number, {std::move(info.last_nodes), allocator_.Moment()},
                ops::Tensors(result));
}

}  // namespace graphtap::capture
