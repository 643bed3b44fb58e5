#include "interpose/observer/observer.h"

#include "interpose/nvtx/ranges.h"
#include "interpose/session/relaxed_capture.h"

namespace graphtap::observer {

struct Observer::Leaving {
  std::shared_ptr<graph::ExecutableState> state;
};

struct Observer::LeavingGraph {
  CUgraph graph;
  graph::Graphs::Leaving graphs;
  std::shared_ptr<shadow::Graft> graft;
};

template <typename Work>
void Observer::Guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

void Observer::OnBeginCapture(const session::StreamRef& stream, CUstreamCaptureMode mode,
                              bool to_graph) noexcept {
  python_.Prepare();
  Guarded([&] {
    framework_.LoadIfThere(adapter::MayBuild::kNo);
    framework_.WatchOpsAnyway();
    captures_.OnBegin(stream, mode, to_graph);
  });
  framework_.WatchOps();
}

void Observer::OnEndCapture(const session::StreamRef& stream, const CUgraph* graph,
                            CUresult result) noexcept {
  const bool gave_graph = result == CUDA_SUCCESS && graph != nullptr;
  Guarded([&] { captures_.OnEnd(stream, gave_graph ? *graph : nullptr, result); });
  python_.OnCaptureEnd(captures_.Begun());
  framework_.WatchOps();
}

void Observer::OnWaitEvent(const session::StreamRef& stream) noexcept {
  Guarded([&] { captures_.OnWait(stream); });
}

CUgraphNode Observer::BeforeNode(const session::StreamRef& stream) noexcept {
  CUgraphNode node = nullptr;
  Guarded([&] { node = captures_.BeforeNode(stream); });
  return node;
}

void Observer::OnNode(const session::StreamRef& stream, CUgraphNode before) noexcept {
  Guarded([&] { captures_.OnNode(stream, before); });
}

void Observer::OnRangeEdge() noexcept {
  Guarded([&] { captures_.OnRangeEdge(); });
}

void Observer::BeforeStreamDestroy(CUstream stream) noexcept {
  if (AnyCaptureOpen()) {
    Guarded([&] { captures_.OnStreamDestroy(stream); });
    framework_.WatchOps();
  }
  framework_.OnStreamDestroy(stream);
  session_.StreamDestroyed(stream);
}

void Observer::OnAddNode(CUgraph graph, const CUgraphNode* node,
                         const CUgraphNodeParams* parameters) noexcept {
  if (parameters->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) return;
  Guarded([&] {
    const auto& conditional = parameters->conditional;
    graphs_.OnConditional(
        graph, *node,
        {conditional.type, {conditional.phGraph_out, conditional.phGraph_out + conditional.size}});
  });
}

void Observer::OnUserObject() noexcept { shadows_.NoteUserObjects(); }

Observer::LeavingGraph* Observer::BeforeGraphDestroy(CUgraph graph) noexcept {
  LeavingGraph* leaving = nullptr;
  Guarded([&] {
    leaving = new LeavingGraph{graph, graphs_.Take(graph), shadows_.BeforeGraphDestroy(graph)};
  });
  return leaving;
}

void Observer::OnGraphDestroy(LeavingGraph* leaving, CUresult result) noexcept {
  if (leaving == nullptr) return;
  Guarded([&] {
    const bool destroyed = result == CUDA_SUCCESS;
    graphs_.OnDestroyed(std::move(leaving->graphs), destroyed);
    shadows_.OnGraphDestroy(leaving->graph, std::move(leaving->graft), destroyed);
  });
  delete leaving;
}

void Observer::BeforeNodeDestroy(CUgraphNode node) noexcept {
  if (shadows_.InPlaceWanted()) Guarded([&] { shadows_.BeforeNodeDestroy(node); });
}

void Observer::OnModuleUnload() noexcept { functions_.Forget(); }

bool Observer::BeforeInstantiate(CUgraph graph, std::uint64_t flags) noexcept {
  if (!shadows_.InPlaceWanted()) return false;
  bool planted = false;
  Guarded([&] {
    const session::RelaxedCapture relaxed(session_.calls());
    graph::GraphModel model;
    const auto version = graphs_.Current(graph, nvtx::Innermost(), &model);
    planted = version != nullptr && shadows_.BeforeInstantiate(graph, *version, model, flags);
  });
  return planted;
}

bool Observer::TakeProbesOut(CUgraph graph, CUresult result) noexcept {
  bool out = false;
  Guarded([&] { out = shadows_.TakeOut(graph, result); });
  return out;
}

void Observer::OnInstantiate(const char* call, const CUgraphExec* executable, CUgraph graph,
                             CUresult result) noexcept {
  Guarded([&] {
    const session::RelaxedCapture relaxed(session_.calls());
    CUgraphExec made = result == CUDA_SUCCESS ? *executable : nullptr;
    const auto number = executables_.OnInstantiate(call, made, graph, result, nvtx::Innermost());
    if (number) points_.OnInstantiate(*number);
  });
}

Observer::Leaving* Observer::BeforeExecDestroy(CUgraphExec executable) noexcept {
  Leaving* leaving = nullptr;
  Guarded([&] { leaving = new Leaving{executables_.Take(executable)}; });
  return leaving;
}

void Observer::OnExecDestroy(CUgraphExec executable, Leaving* leaving, CUresult result) noexcept {
  if (leaving == nullptr) return;
  Guarded([&] {
    const session::RelaxedCapture relaxed(session_.calls());
    executables_.OnDestroy(executable, std::move(leaving->state), result);
  });
  delete leaving;
}

void Observer::OnLaunch(graph::ExecutableState* state, const session::StreamRef& stream,
                        CUresult result) noexcept {
  const std::uint64_t number = executables_.OnLaunch(state, stream, result);
  python_.OnReplay(number);
  if (points_.IsDue(number)) points_.OnReplay(state->number, number);
}

void Observer::BeforeLaunch(graph::ExecutableState* state, const session::StreamRef& stream,
                            shadow::LaunchTicket* ticket) noexcept {
  // Nothing else is kept beside executables.
  static_cast<shadow::Probed&>(*state->companion).BeforeLaunch(stream, ticket);
}

void Observer::OnShadowRefused(shadow::LaunchTicket* ticket) noexcept {
  ticket->probed->OnRefused(ticket);
}

void Observer::OnLaunch(graph::ExecutableState* state, const session::StreamRef& stream,
                        CUresult result, shadow::LaunchTicket* ticket) noexcept {
  const std::uint64_t number = executables_.OnLaunch(state, stream, result);
  if (ticket->probed != nullptr) ticket->probed->AfterLaunch(stream, ticket, result, number);
  python_.OnReplay(number);
  if (points_.IsDue(number)) points_.OnReplay(state->number, number);
}

void Observer::BeforeContextEnd(CUcontext context) noexcept {
  framework_.EndStepIn(context);
  points_.contexts().Forget(context);
  Guarded([&] { shadows_.BeforeContextEnd(context); });
}

void Observer::BeforeGreenContextEnd(CUgreenCtx context) noexcept {
  CUcontext as_context = nullptr;
  const auto convert = session_.calls().context_of_green;
  if (convert == nullptr || convert(&as_context, context) != CUDA_SUCCESS) return;
  BeforeContextEnd(as_context);
}

void Observer::BeforePrimaryReset(CUdevice ordinal) noexcept {
  framework_.EndStepOn(ordinal);
  points_.contexts().ForgetDevice(ordinal);
  Guarded([&] { shadows_.BeforePrimaryReset(ordinal); });
}

void Observer::BeforePrimaryRelease(CUdevice ordinal) noexcept {
  points_.contexts().ForgetDevice(ordinal);
  Guarded([&] { shadows_.BeforePrimaryRelease(ordinal); });
}

void Observer::AfterPrimaryRelease(CUdevice ordinal) noexcept {
  Guarded([&] { shadows_.AfterPrimaryRelease(ordinal); });
}

void Observer::BeforeUpdate(CUgraphExec executable, CUgraph graph) noexcept {
  if (!shadows_.InPlaceWanted()) return;
  Guarded([&] {
    const session::RelaxedCapture relaxed(session_.calls());
    const auto* state = executables_.FindForLaunch(executable);
    auto* companion = state == nullptr ? nullptr : state->companion.get();
    if (!shadows_.IsInPlace(companion, graph)) return;
    graph::GraphModel model;
    if (graphs_.Current(graph, "", &model) == nullptr) return;
    shadows_.BeforeUpdate(companion, graph, model);
  });
}

void Observer::OnUpdate(const char* call, CUgraphExec executable, CUgraph graph, CUresult result,
                        const CUgraphExecUpdateResult* detail) noexcept {
  Guarded([&] {
    const session::RelaxedCapture relaxed(session_.calls());
    executables_.OnUpdate(call, executable, graph, result, detail);
  });
}

void Observer::OnNodeChange(WriteChange write, const void* arguments) noexcept {
  Guarded([&] {
    const session::RelaxedCapture relaxed(session_.calls());
    write(node_changes_, arguments);
  });
}

void Observer::OnAllocate(const CUdeviceptr* address, std::size_t bytes, CUresult result) noexcept {
  if (result != CUDA_SUCCESS || address == nullptr) return;
  addresses_.Add({*address, bytes, false});
  points_.NoteContext();
}

void Observer::OnMap(CUdeviceptr address, std::size_t bytes, CUresult result) noexcept {
  if (result == CUDA_SUCCESS) addresses_.Add({address, bytes, false, true});
}

void Observer::OnUnmap(CUdeviceptr address, std::size_t bytes, CUresult result) noexcept {
  if (result == CUDA_SUCCESS) addresses_.RemoveAll(address, bytes);
}

void Observer::OnHostMemory(const void* address, std::size_t bytes, CUresult result) noexcept {
  if (result != CUDA_SUCCESS) return;
  addresses_.Add({reinterpret_cast<std::uint64_t>(address), bytes, true});
}

std::optional<memory::Allocation> Observer::BeforeFree(std::uint64_t address) noexcept {
  return addresses_.Take(address);
}

void Observer::OnFree(const std::optional<memory::Allocation>& freed, CUresult result) noexcept {
  addresses_.NoteFree();
  if (freed && result != CUDA_SUCCESS) addresses_.Add(*freed);
}

}  // namespace graphtap::observer
