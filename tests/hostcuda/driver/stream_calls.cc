#include <algorithm>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/event.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

constexpr int kGreatestPriority = -5;

// What query and synchronize check: the stream itself must not capture, nor may the call break the
// capture of another.
CUresult ResolveForWait(CUstream handle, std::shared_ptr<Stream>* stream) {
  CUresult result = ResolveStream(handle, stream);
  if (result == CUDA_SUCCESS) result = CheckNotCapturing(**stream);
  if (result != CUDA_SUCCESS) return result;
  return CheckCaptureRules(CallClass::kUnsafe);
}

// Sets *value to what `part` reads from the stream that the handle names.
template <typename Value, typename Part>
CUresult Get(CUstream handle, Value* value, Part part) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result == CUDA_SUCCESS) *value = part(*stream);
  return result;
}

}  // namespace

namespace calls {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return calls::cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  bool known = (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0;
  if (stream == nullptr || !known) return CUDA_ERROR_INVALID_VALUE;
  priority = std::clamp(priority, kGreatestPriority, 0);
  *stream = CurrentContext()->CreateStream(flags, priority)->Handle();
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  std::shared_ptr<Stream> stream = Live<Stream>().Find(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  ForgetStream(*stream);
  return stream->context.DestroyStream(*stream) ? stream->context.Error()
                                                : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  return Get(handle, priority, [](Stream& stream) { return stream.priority; });
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  return Get(handle, flags, [](Stream& stream) { return stream.flags; });
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  return Get(handle, id, [](Stream& stream) { return stream.id; });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  return Get(handle, context, [](Stream& stream) { return stream.context.Handle(); });
}

CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext* context, CUgreenCtx* green) {
  return Get(handle, context, [&](Stream& stream) {
    const bool is_green = stream.context.of != nullptr;
    if (green != nullptr) {
      *green = is_green ? reinterpret_cast<CUgreenCtx>(stream.context.Handle()) : nullptr;
    }
    return stream.context.Root().Handle();
  });
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
  return Get(handle, device, [](Stream& stream) { return stream.context.device; });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
  if ((flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  std::shared_ptr<Event> event = Live<Event>().Find(event_handle);
  if (!event) {
    CheckNotCapturing(*stream);  // a capture does not survive a wait for no event
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (CaptureEventWait(*stream, *event, flags, &result)) return result;
  CompletionPtr record = event->LatestRecord();
  if (record) stream->Enqueue([] { return CUDA_SUCCESS; }, {record});
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream handle) {
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveForWait(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  if (!AllComplete(stream->Pending())) return CUDA_ERROR_NOT_READY;
  return stream->context.Error();
}

CUresult cuStreamSynchronize(CUstream handle) {
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveForWait(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  WaitAll(stream->Pending());
  return stream->context.Error();
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  return result == CUDA_SUCCESS ? Submit(*stream, HostWork{function, data}) : result;
}

}  // namespace calls
}  // namespace hostcuda
