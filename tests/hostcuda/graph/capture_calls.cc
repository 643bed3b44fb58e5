// Captures: begin, end, ask, change what the next node depends on.
#include <memory>
#include <utility>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture_sequence.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handles.h"

namespace hostcuda {
namespace {

bool IsMode(CUstreamCaptureMode mode) {
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
         mode == CU_STREAM_CAPTURE_MODE_RELAXED;
}

// The tips that a caller names: nodes of `graph`. INVALID_VALUE for others.
CUresult ReadTips(const Graph& graph, const CUgraphNode* nodes, const CUgraphEdgeData* data,
                  std::size_t count, CaptureTips* tips) {
  if (count != 0 && nodes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    const Node* node = Find(nodes[i]);
    if (node == nullptr || node->graph != &graph) return CUDA_ERROR_INVALID_VALUE;
    tips->Add(nodes[i], data == nullptr ? CUgraphEdgeData{} : data[i]);
  }
  return CUDA_SUCCESS;
}

CUstreamCaptureStatus StatusOf(const CapturePoint* point) {
  if (point == nullptr) return CU_STREAM_CAPTURE_STATUS_NONE;
  return point->sequence->broken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                 : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

// A question about the legacy stream has no answer while a blocking stream is capturing.
CUresult CheckQuestion(const Stream& stream) {
  bool implicit =
      stream.kind == StreamKind::kLegacy && LegacyStreamWouldJoin(stream.context, false);
  return implicit ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

// Where cuStreamGetCaptureInfo writes; each but the status may be null.
struct CaptureInfo {
  CUstreamCaptureStatus* status;
  cuuint64_t* id;
  CUgraph* graph;
  const CUgraphNode** nodes;
  const CUgraphEdgeData** edges;
  std::size_t* count;
};

bool IsLossy(const CapturePoint& point, const CaptureInfo& info) {
  if (info.nodes == nullptr || info.edges != nullptr) return false;
  for (const CUgraphEdgeData& edge : point.tips.edges) {
    if (!IsDefault(edge)) return true;
  }
  return false;
}

CUresult GetInfo(CUstream handle, const CaptureInfo& info) {
  if (info.status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  GraphLock lock;
  result = CheckQuestion(*stream);
  if (result != CUDA_SUCCESS) return result;
  const CapturePoint* point = Captures().Find(*stream);
  *info.status = StatusOf(point);
  if (*info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  if (IsLossy(*point, info)) return CUDA_ERROR_LOSSY_QUERY;
  if (info.id != nullptr) *info.id = point->sequence->id;
  if (info.graph != nullptr) *info.graph = Handle(point->sequence->graph);
  if (info.nodes != nullptr) *info.nodes = point->tips.nodes.data();
  if (info.edges != nullptr) *info.edges = point->tips.edges.data();
  if (info.count != nullptr) *info.count = point->tips.nodes.size();
  return CUDA_SUCCESS;
}

CUresult Begin(CUstream handle, CUstreamCaptureMode mode) {
  if (!IsMode(mode)) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  GraphLock lock;
  return BeginCapture(*stream, nullptr, {}, mode);
}

}  // namespace
}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuStreamBeginCapture(CUstream stream) {
  return Begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return Begin(stream, mode);
}

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph_handle,
                                     const CUgraphNode* dependencies, const CUgraphEdgeData* data,
                                     size_t count, CUstreamCaptureMode mode) {
  if (!IsMode(mode)) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  GraphLock lock;
  Graph* graph = Find(graph_handle);
  if (graph == nullptr || graph->capturing) return CUDA_ERROR_INVALID_VALUE;
  CaptureTips tips;
  result = ReadTips(*graph, dependencies, data, count, &tips);
  if (result != CUDA_SUCCESS) return result;
  return BeginCapture(*stream, graph, std::move(tips), mode);
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph_handle) {
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  GraphLock lock;
  Graph* graph = nullptr;
  std::unique_ptr<Graph> owned;
  result = EndCapture(*stream, &graph, &owned);
  if (graph_handle == nullptr) return result;  // the capture has ended, its graph is dropped
  owned.release();                             // the caller's from now on, as `graph`
  *graph_handle = Handle(graph);
  return result;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return GetInfo(handle, {status, nullptr, nullptr, nullptr, nullptr, nullptr});
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return GetInfo(handle, {status, id, nullptr, nullptr, nullptr, nullptr});
}

CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   size_t* count) {
  return GetInfo(handle, {status, id, graph, dependencies, nullptr, count});
}

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   const CUgraphEdgeData** data, size_t* count) {
  return GetInfo(handle, {status, id, graph, dependencies, data, count});
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* data, size_t count,
                                              unsigned flags) {
  if (flags != CU_STREAM_ADD_CAPTURE_DEPENDENCIES && flags != CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  GraphLock lock;
  CapturePoint* point = Captures().Find(*stream);
  if (point == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  result = CheckOpen(*point);
  if (result != CUDA_SUCCESS) return result;
  CaptureTips tips;
  if (flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES) tips = point->tips;
  result = ReadTips(*point->sequence->graph, dependencies, data, count, &tips);
  if (result != CUDA_SUCCESS) return result;
  point->tips = std::move(tips);
  return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode* dependencies, size_t count,
                                           unsigned flags) {
  return calls::cuStreamUpdateCaptureDependencies_v2(handle, dependencies, nullptr, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr || !IsMode(*mode)) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, ThreadCaptureMode());
  return CUDA_SUCCESS;
}

}  // namespace hostcuda::calls
