#include "interpose/torch/op_events.h"

#include <ATen/Context.h>
#include <ATen/record_function.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <span>

#include "interpose/torch/accumulated.h"
#include "interpose/torch/current_stream.h"
#include "interpose/torch/host.h"
#include "interpose/torch/op_facts.h"
#include "interpose/torch/thread_ops.h"

namespace graphtap::torch {
namespace {

std::atomic<bool> watching{false};

// What the framework keeps between the two callbacks of an event that the host was told of.
struct Begun : at::ObserverContext {
  ThreadOps* thread = nullptr;
  std::uint64_t number = 0;
  const OpFacts* facts = nullptr;
  int exceptions = 0;  // in flight at the beginning
};

class Busy {
 public:
  explicit Busy(ThreadOps* thread) : thread_(thread) { thread_->busy = true; }
  ~Busy() { thread_->busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  ThreadOps* thread_;
};

void TellEnd(std::span<const GraphtapTensor> tensors) {
  const GraphtapOpResult result{.size = sizeof(GraphtapOpResult),
                                .tensor_size = sizeof(GraphtapTensor),
                                .tensor_count = static_cast<std::uint32_t>(tensors.size()),
                                .tensors = tensors.data()};
  Host().op_end(&result);
}

// Ranges of this thread that have ended on another one.
void TellEndedElsewhere(OpenOps* open) {
  while (open->PopEnded()) TellEnd({});
}

std::span<const GraphtapTensor> GradientsOf(const at::RecordFunction& event, ThreadOps* thread) {
  thread->gradients.clear();
  if (event.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    ReadGradients(event.inputs(), &thread->gradients);
  }
  return thread->gradients;
}

void SetSequence(const at::RecordFunction& event, GraphtapOp* op) {
  const bool backward = event.scope() == at::RecordScope::BACKWARD_FUNCTION;
  if (backward) op->flags |= GRAPHTAP_OP_BACKWARD;
  // None: outside of autograd, and a node that accumulates into a parameter.
  if (event.seqNr() < 0) return;
  op->flags |= GRAPHTAP_OP_SEQUENCED;
  op->sequence = static_cast<std::uint64_t>(event.seqNr());
  op->thread = backward ? event.forwardThreadId() : event.threadId();
}

std::unique_ptr<at::ObserverContext> Begin(const at::RecordFunction& event, ThreadOps* thread) {
  TellEndedElsewhere(&thread->open);
  auto begun = std::make_unique<Begun>();
  begun->thread = thread;
  begun->facts = FactsOf(event);
  begun->exceptions = std::uncaught_exceptions();
  const bool transparent = begun->facts == nullptr || begun->facts->composite;
  const GraphtapOpKind kind = thread->open.KindOf(transparent);
  if (kind == GRAPHTAP_OP_LEAF) thread->leaf.Begin(*begun->facts, event.inputs());
  const auto gradients = GradientsOf(event, thread);
  begun->number = thread->open.Begin(kind);
  // From here on nothing fails: the host hears of the end of what it hears of the beginning.
  GraphtapOp op{.size = sizeof(GraphtapOp),
                .kind = static_cast<std::uint32_t>(kind),
                .name = begun->facts == nullptr ? event.name() : begun->facts->name.c_str(),
                .stream = CurrentStream(),
                .flags = begun->facts == nullptr ? 0u : GRAPHTAP_OP_CALL,
                .tensor_size = sizeof(GraphtapTensor),
                .tensor_count = static_cast<std::uint32_t>(gradients.size()),
                .tensors = gradients.data()};
  SetSequence(event, &op);
  if (!gradients.empty() && event.seqNr() < 0) op.parameter = AccumulatedInto();
  Host().op_begin(&op);
  return begun;
}

std::unique_ptr<at::ObserverContext> OnBegin(const at::RecordFunction& event) noexcept {
  if (!watching.load(std::memory_order_relaxed) || event.isAsync()) return nullptr;
  ThreadOps* thread = ThreadOps::Get();
  if (thread == nullptr || thread->busy) return nullptr;
  const Busy busy(thread);
  try {
    return Begin(event, thread);
  } catch (...) {
    return nullptr;
  }
}

bool SetsElements(const OpFacts& facts) {
  if (facts.fills != Fills::kIfDeterministic) return facts.fills == Fills::kYes;
  const at::Context& context = at::globalContext();
  return context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory();
}

// An op that has thrown has given nothing, and what it has written is not known.
std::span<const GraphtapTensor> ResultOf(const at::RecordFunction& event, const Begun& begun,
                                         GraphtapOpKind kind) noexcept {
  if (kind != GRAPHTAP_OP_LEAF || std::uncaught_exceptions() > begun.exceptions) return {};
  try {
    if (!SetsElements(*begun.facts)) return {};
    return begun.thread->leaf.End(*begun.facts, event.outputs());
  } catch (...) {
    return {};
  }
}

void OnEnd(const at::RecordFunction& event, at::ObserverContext* context) noexcept {
  if (context == nullptr) return;
  const Begun& begun = *static_cast<const Begun*>(context);
  if (begun.thread != ThreadOps::Get()) {
    try {
      begun.thread->open.EndElsewhere(begun.number);
    } catch (...) {
      // It ends with the op around it.
    }
    return;
  }
  const Busy busy(begun.thread);
  OpenOps& open = begun.thread->open;
  const auto kind = open.Find(begun.number);
  if (!kind) return;
  while (open.PopInside(begun.number)) TellEnd({});
  open.Pop();
  TellEnd(ResultOf(event, begun, *kind));
  TellEndedElsewhere(&open);
}

at::CallbackHandle Register() {
  return at::addGlobalCallback(
      at::RecordFunctionCallback(&OnBegin, &OnEnd)
          .needsInputs(true)
          .needsOutputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                   at::RecordScope::USER_SCOPE}));
}

}  // namespace

void WatchOps(int on) noexcept {
  static std::mutex mutex;
  static at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;
  try {
    const std::lock_guard lock(mutex);
    if (watching.load() == (on != 0)) return;
    if (on == 0) {
      watching.store(false);
      at::disableCallback(handle);
    } else {
      if (handle == at::INVALID_CALLBACK_HANDLE) {
        handle = Register();
      } else {
        at::reenableCallback(handle);
      }
      watching.store(true);
    }
  } catch (...) {
    // Not watched.
  }
}

}  // namespace graphtap::torch
