#include "interpose/observer/framework.h"

#include <stdlib.h>

#include "interpose/abi/complete.h"
#include "interpose/observer/observer.h"
#include "interpose/ops/thread_ops.h"

namespace graphtap::observer {
namespace {

Framework* Active() noexcept {
  auto* observer = Observer::Active();
  return observer == nullptr ? nullptr : &observer->framework();
}

// As a function of the host: `Method` of the active framework, with the structure completed.
template <auto Method, typename Structure>
void Tell(const Structure* given) noexcept {
  auto* framework = Active();
  if (framework == nullptr) return;
  if (given->size >= sizeof(Structure)) return (framework->*Method)(*given);
  (framework->*Method)(abi::Complete(given, given->size));
}

// Also where a state is asked for at the end, when no framework is active.
void TellState(const GraphtapAllocatorState* given) noexcept {
  const auto state = abi::Complete(given, given->size);
  auto* framework = Active();
  if (framework != nullptr) return framework->OnAllocatorState(state);
  try {
    blocks::AllocatorLog::Answer(state);
  } catch (...) {
    // No memory: there is no state.
  }
}

void TellNoAllocator(const char* why) noexcept {
  if (auto* framework = Active()) framework->OnNoAllocator(why);
}

// What is open while something fails is open all the same.
class PushedAtEnd {
 public:
  ~PushedAtEnd() { ops::Push(op); }
  ops::OpenOp op;
};

const GraphtapHost kHost = {sizeof(GraphtapHost),
                            GRAPHTAP_ADAPTER_VERSION,
                            Tell<&Framework::OnOpBegin, GraphtapOp>,
                            Tell<&Framework::OnOpEnd, GraphtapOpResult>,
                            Tell<&Framework::OnAllocatorEvent, GraphtapAllocatorEvent>,
                            TellState,
                            TellNoAllocator,
                            Tell<&Framework::OnOutOfMemory, GraphtapOutOfMemory>};

}  // namespace

Framework::Framework(session::Session& session, capture::Captures& captures, eager::Steps& steps,
                     blocks::AllocatorLog& allocator, points::Points& points,
                     python::Python& python)
    : session_(session),
      captures_(captures),
      steps_(steps),
      allocator_(allocator),
      points_(points),
      python_(python),
      adapter_(session, kHost) {
  allocator.SetTaker([this] { adapter_.TakeAllocatorState(); });
  if (session.settings().allocation_stacks) {
    allocator.SetStacks([this] { return python_.stacks().CurrentIfTested(); });
  }
}

template <typename Work>
void Framework::Guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

// The framework is taken down by exit handlers that it registered when it was loaded; one that is
// registered now runs before them.
void Framework::LoadIfThere(adapter::MayBuild may_build) noexcept {
  Guarded([&] {
    if (adapter_.LoadIfThere(may_build)) on_exit(AtExit, nullptr);
  });
}

void Framework::AtExit(int, void*) noexcept {
  auto* framework = Active();
  if (framework != nullptr) framework->points_.OnExit(points::Points::State::kYes);
}

void Framework::WatchOps() noexcept {
  adapter_.WatchOps([this] { return captures_.AnyOpen() || steps_.Open(); });
}

void Framework::WatchOpsAnyway() noexcept {
  adapter_.WatchOps([] { return true; });
}

void Framework::OnRangeBegin(std::string_view text) noexcept {
  if (!steps_.OnRangeBegin(text)) return;
  LoadIfThere(adapter::MayBuild::kNo);
  WatchOps();
}

void Framework::OnRangeEnd() noexcept {
  if (steps_.OnRangeEnd()) AfterStep();
}

void Framework::BeforeCapture() noexcept {
  if (steps_.BeforeCapture()) AfterStep();
}

// The job goes on: its parameters can be asked for.
void Framework::AfterStep() noexcept {
  WatchOps();
  python_.OnStepEnd();
}

void Framework::EndStep() noexcept {
  if (steps_.End()) WatchOps();
}

void Framework::EndStepIn(CUcontext context) noexcept {
  if (steps_.EndIn(context)) WatchOps();
}

void Framework::EndStepOn(CUdevice ordinal) noexcept {
  if (steps_.EndOn(ordinal)) WatchOps();
}

void Framework::OnOpBegin(const GraphtapOp& op) noexcept {
  PushedAtEnd pushed;
  Guarded([&] {
    const auto stream = session_.Stream(static_cast<CUstream>(op.stream), false);
    if (!captures_.OnOpBegin(op, stream, &pushed.op)) steps_.OnOpBegin(op, stream, &pushed.op);
  });
}

void Framework::OnOpEnd(const GraphtapOpResult& result) noexcept {
  const auto op = ops::Pop();
  if (!op) return;
  Guarded([&] {
    if (op->capture != 0) captures_.OnOpEnd(*op, result);
    if (op->step != 0) steps_.OnOpEnd(*op, result);
  });
}

void Framework::OnAllocatorState(const GraphtapAllocatorState& state) noexcept {
  Guarded([&] { allocator_.OnState(state); });
}

void Framework::OnNoAllocator(const char* why) noexcept {
  Guarded([&] { session_.Say(MessageCode::no_allocator, why); });
}

void Framework::OnOutOfMemory(const GraphtapOutOfMemory& failure) noexcept {
  points_.OnFrameworkOutOfMemory(failure.bytes);
}

}  // namespace graphtap::observer
