#include <thread>

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture.h"
#include "tests/hostcuda/graph/capture_sequence.h"
#include "tests/hostcuda/graph/graph_lock.h"

namespace hostcuda {
namespace {

// Whether an unsafe call of this thread disturbs the capture: its own, unless that is relaxed;
// those of other threads only where both sides are in the global mode.
bool Disturbs(const CaptureSequence& sequence) {
  if (ThreadCaptureMode() == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (sequence.thread == std::this_thread::get_id()) {
    return sequence.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  }
  return ThreadCaptureMode() == CU_STREAM_CAPTURE_MODE_GLOBAL &&
         sequence.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult CheckUnsafe() {
  bool disturbed = false;
  for (auto& [stream, point] : Captures().streams) {
    if (!Disturbs(*point.sequence)) continue;
    point.sequence->broken = true;
    disturbed = true;
  }
  return disturbed ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult CheckLegacyWork(const Context& context) {
  return LegacyStreamWouldJoin(context, true) ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

CUresult CheckContextWait(const Context& context) {
  bool capturing = false;
  for (auto& [stream, point] : Captures().streams) {
    if (&stream->context != &context) continue;
    point.sequence->broken = true;
    capturing = true;
  }
  return capturing ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CheckUnsafe();
}

CUresult BreakCaptureOf(const Stream& stream) {
  CapturePoint* point = Captures().Find(stream);
  if (point == nullptr) return CUDA_SUCCESS;
  CUresult result = CheckOpen(*point);
  point->sequence->broken = true;
  return result == CUDA_SUCCESS ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : result;
}

}  // namespace

CUresult CheckCaptureRules(CallClass call_class) {
  if (!AnyCapture()) return CUDA_SUCCESS;
  std::shared_ptr<Context> context = CurrentContext();
  GraphLock lock;
  if (call_class == CallClass::kUnsafe || context == nullptr) return CheckUnsafe();
  return call_class == CallClass::kSynchronizing ? CheckLegacyWork(*context)
                                                 : CheckContextWait(*context);
}

CUresult CheckNotCapturing(Stream& stream) {
  if (!AnyCapture()) return CUDA_SUCCESS;
  GraphLock lock;
  if (stream.kind == StreamKind::kLegacy && LegacyStreamWouldJoin(stream.context, true)) {
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  return BreakCaptureOf(stream);
}

}  // namespace hostcuda
