// Streams and events.
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Call;
using hostcuda::DriverTable;

extern "C" cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return Call(&DriverTable::cuStreamCreate_v2000, stream, 0U);
}

extern "C" cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return Call(&DriverTable::cuStreamCreate_v2000, stream, flags);
}

extern "C" cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                                    int priority) {
  return Call(&DriverTable::cuStreamCreateWithPriority_v5050, stream, flags, priority);
}

extern "C" cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return Call(&DriverTable::cuStreamDestroy_v4000, stream);
}

HOSTCUDA_STREAM_ENTRY(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int* priority), {
  return Call(default_stream, &DriverTable::cuStreamGetPriority_v5050, stream, priority);
})

HOSTCUDA_STREAM_ENTRY(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned* flags), {
  return Call(default_stream, &DriverTable::cuStreamGetFlags_v5050, stream, flags);
})

HOSTCUDA_STREAM_ENTRY(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long* id), {
  return Call(default_stream, &DriverTable::cuStreamGetId_v12000, stream, id);
})

HOSTCUDA_STREAM_ENTRY(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), {
  return Call(default_stream, &DriverTable::cuStreamSynchronize_v2000, stream);
})

HOSTCUDA_STREAM_ENTRY(cudaStreamQuery, _ptsz, (cudaStream_t stream),
                      { return Call(default_stream, &DriverTable::cuStreamQuery_v2000, stream); })

HOSTCUDA_STREAM_ENTRY(cudaStreamWaitEvent, _ptsz,
                      (cudaStream_t stream, cudaEvent_t event, unsigned flags), {
                        return Call(default_stream, &DriverTable::cuStreamWaitEvent_v3020, stream,
                                    event, flags);
                      })

extern "C" cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return Call(&DriverTable::cuEventCreate_v2000, event, 0U);
}

extern "C" cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return Call(&DriverTable::cuEventCreate_v2000, event, flags);
}

extern "C" cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return Call(&DriverTable::cuEventDestroy_v4000, event);
}

HOSTCUDA_STREAM_ENTRY(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), {
  return Call(default_stream, &DriverTable::cuEventRecord_v2000, event, stream);
})

HOSTCUDA_STREAM_ENTRY(cudaEventRecordWithFlags, _ptsz,
                      (cudaEvent_t event, cudaStream_t stream, unsigned flags), {
                        return Call(default_stream, &DriverTable::cuEventRecordWithFlags_v11010,
                                    event, stream, flags);
                      })

extern "C" cudaError_t cudaEventQuery(cudaEvent_t event) {
  return Call(&DriverTable::cuEventQuery_v2000, event);
}

extern "C" cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return Call(&DriverTable::cuEventSynchronize_v2000, event);
}

extern "C" cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start,
                                            cudaEvent_t end) {
  return Call(&DriverTable::cuEventElapsedTime_v12080, milliseconds, start, end);
}
