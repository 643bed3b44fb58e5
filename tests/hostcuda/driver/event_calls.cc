#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/event.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

constexpr unsigned kCreateFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
constexpr unsigned kRecordFlags = CU_EVENT_RECORD_EXTERNAL;

// For query and synchronize: the live event, if no capture forbids the call.
CUresult ResolveForWait(CUevent handle, std::shared_ptr<Event>* event) {
  *event = Live<Event>().Find(handle);
  if (!*event) return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = CheckNotCaptured(**event);
  if (result == CUDA_SUCCESS) result = CheckCaptureRules(CallClass::kUnsafe);
  return result == CUDA_SUCCESS ? (*event)->context.Error() : result;
}

}  // namespace

namespace calls {

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  bool interprocess = (flags & CU_EVENT_INTERPROCESS) != 0;
  bool timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  if (event == nullptr || (flags & ~kCreateFlags) != 0 || (interprocess && timed)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto made = std::make_shared<Event>(*CurrentContext(), flags);
  *event = made->Handle();
  Live<Event>().Add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent handle) {
  std::shared_ptr<Event> event = Live<Event>().Remove(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  ForgetEvent(*event);
  return event->context.Error();
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return calls::cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventRecordWithFlags(CUevent handle, CUstream stream_handle, unsigned flags) {
  if ((flags & ~kRecordFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Event> event = Live<Event>().Find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(stream_handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  if (&stream->context != &event->context) return CUDA_ERROR_INVALID_HANDLE;
  if (CaptureEventRecord(*stream, *event, flags, &result)) return result;
  event->SetRecord(stream->Enqueue([] { return CUDA_SUCCESS; }));
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent handle) {
  std::shared_ptr<Event> event;
  CUresult result = ResolveForWait(handle, &event);
  if (result != CUDA_SUCCESS) return result;
  if (!AllComplete({event->LatestRecord()})) return CUDA_ERROR_NOT_READY;
  return event->context.Error();
}

CUresult cuEventSynchronize(CUevent handle) {
  std::shared_ptr<Event> event;
  CUresult result = ResolveForWait(handle, &event);
  if (result != CUDA_SUCCESS) return result;
  WaitAll({event->LatestRecord()});
  return event->context.Error();
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return calls::cuEventElapsedTime_v2(milliseconds, start, end);
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Event> start = Live<Event>().Find(start_handle);
  std::shared_ptr<Event> end = Live<Event>().Find(end_handle);
  if (!start || !end) return CUDA_ERROR_INVALID_HANDLE;
  CompletionPtr first = start->LatestRecord();
  CompletionPtr last = end->LatestRecord();
  bool timed = ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) == 0;
  if (!timed || !first || !last) return CUDA_ERROR_INVALID_HANDLE;
  if (!AllComplete({first, last})) return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(last->Time() - first->Time()).count();
  return start->context.Error();
}

}  // namespace calls
}  // namespace hostcuda
