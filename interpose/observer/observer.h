// Observer: what the hooks tell, and the life of the recording: it begins after the first cuInit
// that succeeds, ends in an exit handler that runs before the driver's, and is off in a forked
// child until that calls cuInit itself. Owner: itself; never destroyed, leaked in a forked child.
// Threads: any; the job's call has returned, but for methods named Before…. Failure: counted.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <optional>

#include "interpose/capture/captures.h"
#include "interpose/graph/executables.h"
#include "interpose/graph/functions.h"
#include "interpose/graph/graphs.h"
#include "interpose/graph/node_changes.h"
#include "interpose/memory/address_book.h"
#include "interpose/observer/departure.h"
#include "interpose/observer/framework.h"
#include "interpose/points/points.h"
#include "interpose/python/python.h"
#include "interpose/session/session.h"
#include "interpose/shadow/shadows.h"

namespace graphtap::observer {

class Observer {
 public:
  // The one that records this process now; nullptr when nothing is recorded.
  static Observer* Active() noexcept { return active_.load(std::memory_order_acquire); }

  // After the job's cuInit: begins to record if this process is to be recorded and is not yet.
  static void OnInit(CUresult result) noexcept;

  // The process is about to end without its exit handlers, or to become another program, which may
  // fail. Also in a signal handler: the work is left to a thread of graphtap and waited for within
  // the limit of an exit.
  static void BeforeExit(int status) noexcept;
  static void BeforeExec() noexcept;
  static void OnExecFailed() noexcept;
  // What quick_exit was called with: its handlers are not told.
  static void NoteQuickExit(int status) noexcept;

  Framework& framework() noexcept { return framework_; }
  points::Points& points() noexcept { return points_; }

  bool AnyCaptureOpen() const noexcept { return captures_.AnyOpen(); }
  session::StreamRef Stream(CUstream handle, bool per_thread) const noexcept {
    return session_.Stream(handle, per_thread);
  }

  void OnBeginCapture(const session::StreamRef& stream, CUstreamCaptureMode mode,
                      bool to_graph) noexcept;
  void OnEndCapture(const session::StreamRef& stream, const CUgraph* graph,
                    CUresult result) noexcept;
  void OnWaitEvent(const session::StreamRef& stream) noexcept;
  CUgraphNode BeforeNode(const session::StreamRef& stream) noexcept;
  void OnNode(const session::StreamRef& stream, CUgraphNode before) noexcept;
  void OnRangeEdge() noexcept;
  void BeforeStreamDestroy(CUstream stream) noexcept;

  // Graphs. What leaves before a destroy is handed back after it, here and below.
  void OnAddNode(CUgraph graph, const CUgraphNode* node,
                 const CUgraphNodeParams* parameters) noexcept;
  void OnUserObject() noexcept;
  struct LeavingGraph;
  LeavingGraph* BeforeGraphDestroy(CUgraph graph) noexcept;
  void OnGraphDestroy(LeavingGraph* leaving, CUresult result) noexcept;
  void BeforeNodeDestroy(CUgraphNode node) noexcept;
  void OnModuleUnload() noexcept;

  void BeforeContextEnd(CUcontext context) noexcept;
  void BeforeGreenContextEnd(CUgreenCtx context) noexcept;
  void BeforePrimaryReset(CUdevice ordinal) noexcept;
  void BeforePrimaryRelease(CUdevice ordinal) noexcept;
  void AfterPrimaryRelease(CUdevice ordinal) noexcept;

  // Executables.
  struct Leaving;
  // True: probes are in the job's own graph. If the driver then refuses to instantiate it, it is to
  // be asked again where TakeProbesOut() says so.
  bool BeforeInstantiate(CUgraph graph, std::uint64_t flags) noexcept;
  bool TakeProbesOut(CUgraph graph, CUresult result) noexcept;
  void OnInstantiate(const char* call, const CUgraphExec* executable, CUgraph graph,
                     CUresult result) noexcept;
  Leaving* BeforeExecDestroy(CUgraphExec executable) noexcept;
  void OnExecDestroy(CUgraphExec executable, Leaving* leaving, CUresult result) noexcept;
  // A launch, of what was found for it before the call; nullptr: it is not known.
  graph::ExecutableState* FindForLaunch(CUgraphExec executable) noexcept {
    return executables_.FindForLaunch(executable);
  }
  void OnLaunch(graph::ExecutableState* state, const session::StreamRef& stream,
                CUresult result) noexcept;
  // One with probes: `ticket` goes from before the call to after it; OnShadowRefused lies between
  // if the driver refused what the ticket had launched instead.
  static bool IsProbed(const graph::ExecutableState* state) noexcept {
    return state != nullptr && state->companion != nullptr;
  }
  void BeforeLaunch(graph::ExecutableState* state, const session::StreamRef& stream,
                    shadow::LaunchTicket* ticket) noexcept;
  void OnShadowRefused(shadow::LaunchTicket* ticket) noexcept;
  void OnLaunch(graph::ExecutableState* state, const session::StreamRef& stream, CUresult result,
                shadow::LaunchTicket* ticket) noexcept;
  void BeforeUpdate(CUgraphExec executable, CUgraph graph) noexcept;
  void OnUpdate(const char* call, CUgraphExec executable, CUgraph graph, CUresult result,
                const CUgraphExecUpdateResult* detail) noexcept;

  // Calls write(node changes, arguments), which records one change of a node.
  using WriteChange = void (*)(graph::NodeChanges& changes, const void* arguments);
  void OnNodeChange(WriteChange write, const void* arguments) noexcept;

  // Allocations.
  void OnAllocate(const CUdeviceptr* address, std::size_t bytes, CUresult result) noexcept;
  void OnMap(CUdeviceptr address, std::size_t bytes, CUresult result) noexcept;
  void BeforeUnmap() noexcept { addresses_.NoteFree(); }
  void OnUnmap(CUdeviceptr address, std::size_t bytes, CUresult result) noexcept;
  void OnHostMemory(const void* address, std::size_t bytes, CUresult result) noexcept;
  std::optional<memory::Allocation> BeforeFree(std::uint64_t address) noexcept;
  void OnFree(const std::optional<memory::Allocation>& freed, CUresult result) noexcept;

 private:
  Observer(Settings settings, const driver::Calls& calls);
  static void Begin() noexcept;
  static void AtExit(int status, void*) noexcept;
  static Observer* OfThisProcess() noexcept;
  void EndJob() noexcept;
  void BeforeFlush(record::Recorder& recorder) noexcept;
  void Collect(record::Recorder& recorder) noexcept;
  graph::Executables::Accompany MakeAccompany();
  template <typename Work>
  void Guarded(Work work) noexcept;
  static std::atomic<Observer*> active_;
  const pid_t process_;
  session::Session session_;
  memory::AddressBook addresses_;
  graph::Functions functions_;
  graph::Graphs graphs_;
  shadow::Shadows shadows_;
  graph::Executables executables_;
  graph::NodeChanges node_changes_;
  blocks::AllocatorLog allocator_;
  points::Points points_;
  python::Python python_;
  capture::Captures captures_;
  eager::Steps steps_;
  Framework framework_;
  Departure departure_;
};

}  // namespace graphtap::observer
