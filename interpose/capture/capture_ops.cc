// The operators that an adapter tells of, and what is launched outside of them, put into the
// capture that their stream takes part in. The driver is asked on their own thread, about their own
// stream.
#include "interpose/capture/captures.h"
#include "interpose/nvtx/ranges.h"
#include "interpose/ops/tensors.h"

namespace graphtap::capture {

bool Captures::OnOpBegin(const GraphtapOp& op, const session::StreamRef& stream,
                         ops::OpenOp* opened) {
  if (!AnyOpen()) return false;
  Info info = Ask(stream);
  if (!info.active) return false;
  const auto open = Find(info.id);
  if (open == nullptr) return true;
  auto start = ops::StartOf(op, graphs_.InternName(op.name));
  opened->name = start.name;
  opened->leaf = start.kind == ops::Kind::kLeaf;
  // Ranges are counted by thread.
  if (open->thread == std::this_thread::get_id()) {
    const std::string scope = nvtx::PathFrom(open->first_range);
    if (!scope.empty()) start.scope = graphs_.InternName(scope);
  }
  start.parent = ops::Innermost(info.id);
  if (start.kind != ops::Kind::kInner) start.stack = python_.stacks().Current();
  opened->stream = stream;
  opened->number =
      open->ops.Begin(std::move(start), {std::move(info.last_nodes), allocator_.Moment()});
  opened->capture = info.id;
  return true;
}

// In a leaf operator it has the place of that.
bool Captures::HasOwnPlace() const { return !ops::InLeaf() && python_.stacks().MayBe(); }

CUgraphNode Captures::BeforeNode(const session::StreamRef& stream) const {
  if (!HasOwnPlace()) return nullptr;
  const Info info = Ask(stream);
  return info.last_nodes.size() == 1 ? info.last_nodes.front() : nullptr;
}

// Where Python launched it.
void Captures::OnNode(const session::StreamRef& stream, CUgraphNode before) {
  if (!HasOwnPlace()) return;
  const Info info = Ask(stream);
  if (info.last_nodes.size() != 1 || info.last_nodes.front() == before) return;
  const auto open = Find(info.id);
  if (open == nullptr) return;
  if (const auto stack = python_.stacks().Current())
    open->ops.Launch(info.last_nodes.front(), *stack);
}

void Captures::OnOpEnd(const ops::OpenOp& op, const GraphtapOpResult& result) {
  const auto open = Find(op.capture);
  if (open == nullptr) return;
  Info info = Ask(op.stream);
  if (!info.active || info.id != op.capture) info.last_nodes.clear();
  open->ops.End(op.number, {std::move(info.last_nodes), allocator_.Moment()}, ops::Tensors(result));
}

std::optional<record::StringId> Captures::NameOfParameter(std::uint64_t address) {
  const std::string name = python_.parameter_names().At(address);
  if (name.empty()) return std::nullopt;
  return graphs_.InternName(name);
}

}  // namespace graphtap::capture
