// Stream capture.
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Call;
using hostcuda::DriverTable;

// The runtime and the driver number modes and states alike, and lay edge data out alike.
static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData));
static_assert(static_cast<int>(cudaStreamCaptureModeRelaxed) == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(static_cast<int>(cudaStreamCaptureStatusInvalidated) ==
              CU_STREAM_CAPTURE_STATUS_INVALIDATED);

HOSTCUDA_STREAM_ENTRY(cudaStreamBeginCapture, _ptsz,
                      (cudaStream_t stream, cudaStreamCaptureMode mode), {
                        return Call(default_stream, &DriverTable::cuStreamBeginCapture_v10010,
                                    stream, static_cast<CUstreamCaptureMode>(mode));
                      })

HOSTCUDA_STREAM_ENTRY(cudaStreamBeginCaptureToGraph, _ptsz,
                      (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                       const cudaGraphEdgeData* edge_data, size_t count,
                       cudaStreamCaptureMode mode),
                      {
                        return Call(default_stream,
                                    &DriverTable::cuStreamBeginCaptureToGraph_v12030, stream, graph,
                                    dependencies,
                                    reinterpret_cast<const CUgraphEdgeData*>(edge_data), count,
                                    static_cast<CUstreamCaptureMode>(mode));
                      })

HOSTCUDA_STREAM_ENTRY(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph), {
  return Call(default_stream, &DriverTable::cuStreamEndCapture_v10000, stream, graph);
})

HOSTCUDA_STREAM_ENTRY(cudaStreamIsCapturing, _ptsz,
                      (cudaStream_t stream, cudaStreamCaptureStatus* status), {
                        return Call(default_stream, &DriverTable::cuStreamIsCapturing_v10000,
                                    stream, reinterpret_cast<CUstreamCaptureStatus*>(status));
                      })

HOSTCUDA_STREAM_ENTRY(cudaStreamGetCaptureInfo, _ptsz,
                      (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                       cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                       const cudaGraphEdgeData** edge_data, size_t* count),
                      {
                        return Call(default_stream, &DriverTable::cuStreamGetCaptureInfo_v12030,
                                    stream, reinterpret_cast<CUstreamCaptureStatus*>(status),
                                    reinterpret_cast<cuuint64_t*>(id), graph, dependencies,
                                    reinterpret_cast<const CUgraphEdgeData**>(edge_data), count);
                      })

HOSTCUDA_STREAM_ENTRY(cudaStreamUpdateCaptureDependencies, _ptsz,
                      (cudaStream_t stream, cudaGraphNode_t* dependencies,
                       const cudaGraphEdgeData* edge_data, size_t count, unsigned flags),
                      {
                        return Call(
                            default_stream, &DriverTable::cuStreamUpdateCaptureDependencies_v12030,
                            stream, dependencies,
                            reinterpret_cast<const CUgraphEdgeData*>(edge_data), count, flags);
                      })

extern "C" cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return Call(&DriverTable::cuThreadExchangeStreamCaptureMode_v10010,
              reinterpret_cast<CUstreamCaptureMode*>(mode));
}
