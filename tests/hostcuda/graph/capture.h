// Capture: what a capturing stream does with work instead of running it. Owner: the graph folder.
// Threads: any; a call here takes GraphLock, so the caller may hold no lock that Stream::Enqueue
// takes. Failure: CUresult as the driver gives it. No units.
#pragma once

#include <cuda.h>

#include "tests/hostcuda/driver/work.h"

namespace hostcuda {

// For every stream-ordered call, before it runs: true if `stream` is capturing (or its capture is
// broken), or is the legacy stream while a blocking stream is capturing; then the work became a
// node or the call is refused, and *result is what the call returns.
bool CaptureWork(Stream& stream, const Work& work, CUresult* result);

// The same for memory of pools: an allocation becomes a node that has its address from now on, a
// free one for what such a node allocated.
bool CaptureAllocation(Stream& stream, std::size_t bytes, int device, CUdeviceptr* address,
                       CUresult* result);
bool CaptureFree(Stream& stream, CUdeviceptr address, CUresult* result);

// Event record and wait have meanings of their own in a capture: a record on a capturing stream
// notes its dependencies in the event, a wait on such an event joins the stream to the capture.
bool CaptureEventRecord(Stream& stream, Event& event, unsigned flags, CUresult* result);
bool CaptureEventWait(Stream& stream, Event& event, unsigned flags, CUresult* result);

// What a call is to captures.
enum class CallClass {
  kUnsafe,  // allocation, free, module load, instantiate, event or stream query and the like:
            // refused and fatal to captures as the mode says (global capture of any thread,
            // thread-local of this one)
  kSynchronizing,  // waits for work on the legacy stream (synchronous copies and fills): refused
                   // while a blocking stream of the context is capturing, in every mode
  kWholeContext,   // waits for all streams of the context: refused while any of them is capturing
};

// CUDA_SUCCESS, or the error that the call must return; captures that it breaks are marked broken.
CUresult CheckCaptureRules(CallClass call_class);

// For a call on `stream` that no graph node can stand for (query, wait, launch of a graph):
// CUDA_SUCCESS, or what it must return because the stream is capturing, which breaks that capture;
// so too for the legacy stream while a blocking stream is capturing.
CUresult CheckNotCapturing(Stream& stream);

// For query of, and wait for, an event: CAPTURED_EVENT if its latest record is in an open capture,
// which that breaks; INVALID_VALUE if in one that has ended; else CUDA_SUCCESS.
CUresult CheckNotCaptured(const Event& event);

// A stream or event is about to go. The capture of an origin stream ends without a graph; the work
// of another stream stays in its capture, and must be joined by then.
void ForgetStream(const Stream& stream);
void ForgetEvent(const Event& event);

}  // namespace hostcuda
