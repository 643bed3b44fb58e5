// Framework: what is known of the job's framework from inside: its adapter, and what that tells of
// operators and of the allocator. Owner: the observer. Threads: any. Failure: as the observer's:
// what an adapter tells never throws, a loss is counted. No units.
#pragma once

#include "interpose/adapter/adapter.h"
#include "interpose/blocks/allocator_log.h"
#include "interpose/capture/captures.h"
#include "interpose/eager/steps.h"
#include "interpose/points/points.h"
#include "interpose/python/python.h"
#include "interpose/session/session.h"

namespace graphtap::observer {

class Framework {
 public:
  Framework(session::Session& session, capture::Captures& captures, eager::Steps& steps,
            blocks::AllocatorLog& allocator, points::Points& points, python::Python& python);

  void LoadIfThere(adapter::MayBuild may_build) noexcept;

  // The last look at memory while the framework is there.
  static void AtExit(int status, void*) noexcept;

  // Operators are told of while a capture or an eager step is open, and from just before a capture
  // is known, so that the allocator is watched by then.
  void WatchOps() noexcept;
  void WatchOpsAnyway() noexcept;

  // What bounds eager steps: ranges of this thread, a capture that is about to begin, and the end
  // of contexts and of the process.
  void OnRangeBegin(std::string_view text) noexcept;
  void OnRangeEnd() noexcept;
  void BeforeCapture() noexcept;
  void OnStreamDestroy(CUstream stream) noexcept { steps_.OnStreamDestroy({stream}); }
  void EndStep() noexcept;
  void EndStepIn(CUcontext context) noexcept;
  void EndStepOn(CUdevice ordinal) noexcept;

  // What an adapter tells.
  void OnOpBegin(const GraphtapOp& op) noexcept;
  void OnOpEnd(const GraphtapOpResult& result) noexcept;
  void OnAllocatorEvent(const GraphtapAllocatorEvent& event) noexcept { allocator_.Add(event); }
  void OnAllocatorState(const GraphtapAllocatorState& state) noexcept;
  void OnNoAllocator(const char* why) noexcept;
  void OnOutOfMemory(const GraphtapOutOfMemory& failure) noexcept;

 private:
  template <typename Work>
  void Guarded(Work work) noexcept;
  void AfterStep() noexcept;

  session::Session& session_;
  capture::Captures& captures_;
  eager::Steps& steps_;
  blocks::AllocatorLog& allocator_;
  points::Points& points_;
  python::Python& python_;
  adapter::Adapter adapter_;
};

}  // namespace graphtap::observer
