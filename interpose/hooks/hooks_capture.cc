// Captures and the streams in them.
#include "interpose/hooks/hook.h"

using namespace graphtap::hooks;

namespace {

void Began(CUresult result, CUstream stream, bool per_thread, CUstreamCaptureMode mode,
           bool to_graph) {
  auto* observer = Observer::Active();
  if (observer == nullptr || result != CUDA_SUCCESS) return;
  observer->OnBeginCapture(observer->Stream(stream, per_thread), mode, to_graph);
}

void Begins() {
  if (auto* observer = Observer::Active()) observer->framework().BeforeCapture();
}

void Ended(CUresult result, CUstream stream, bool per_thread, const CUgraph* graph) {
  if (auto* observer = Observer::Active()) {
    observer->OnEndCapture(observer->Stream(stream, per_thread), graph, result);
  }
}

void Waited(CUresult result, CUstream stream, bool per_thread) {
  auto* observer = Observer::Active();
  if (observer == nullptr || result != CUDA_SUCCESS || !observer->AnyCaptureOpen()) return;
  observer->OnWaitEvent(observer->Stream(stream, per_thread));
}

}  // namespace

// The first shape had no mode: it was global.
GRAPHTAP_HOOK cuStreamBeginCapture(CUstream stream) {
  Begins();
  const CUresult result = CallReal<Hook::cuStreamBeginCapture>(stream);
  Began(result, stream, false, CU_STREAM_CAPTURE_MODE_GLOBAL, false);
  return result;
}

GRAPHTAP_HOOK cuStreamBeginCapture_ptsz(CUstream stream) {
  Begins();
  const CUresult result = CallReal<Hook::cuStreamBeginCapture_ptsz>(stream);
  Began(result, stream, true, CU_STREAM_CAPTURE_MODE_GLOBAL, false);
  return result;
}

GRAPHTAP_HOOK cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  Begins();
  const CUresult result = CallReal<Hook::cuStreamBeginCapture_v2>(stream, mode);
  Began(result, stream, false, mode, false);
  return result;
}

GRAPHTAP_HOOK cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
  Begins();
  const CUresult result = CallReal<Hook::cuStreamBeginCapture_v2_ptsz>(stream, mode);
  Began(result, stream, true, mode, false);
  return result;
}

GRAPHTAP_HOOK cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                          const CUgraphNode* dependencies,
                                          const CUgraphEdgeData* data, size_t count,
                                          CUstreamCaptureMode mode) {
  Begins();
  const CUresult result =
      CallReal<Hook::cuStreamBeginCaptureToGraph>(stream, graph, dependencies, data, count, mode);
  Began(result, stream, false, mode, true);
  return result;
}

GRAPHTAP_HOOK cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph,
                                               const CUgraphNode* dependencies,
                                               const CUgraphEdgeData* data, size_t count,
                                               CUstreamCaptureMode mode) {
  Begins();
  const CUresult result = CallReal<Hook::cuStreamBeginCaptureToGraph_ptsz>(
      stream, graph, dependencies, data, count, mode);
  Began(result, stream, true, mode, true);
  return result;
}

GRAPHTAP_HOOK cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const CUresult result = CallReal<Hook::cuStreamEndCapture>(stream, graph);
  Ended(result, stream, false, graph);
  return result;
}

GRAPHTAP_HOOK cuStreamEndCapture_ptsz(CUstream stream, CUgraph* graph) {
  const CUresult result = CallReal<Hook::cuStreamEndCapture_ptsz>(stream, graph);
  Ended(result, stream, true, graph);
  return result;
}

GRAPHTAP_HOOK cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  const CUresult result = CallReal<Hook::cuStreamWaitEvent>(stream, event, flags);
  Waited(result, stream, false);
  return result;
}

GRAPHTAP_HOOK cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned int flags) {
  const CUresult result = CallReal<Hook::cuStreamWaitEvent_ptsz>(stream, event, flags);
  Waited(result, stream, true);
  return result;
}

GRAPHTAP_HOOK cuStreamDestroy_v2(CUstream stream) {
  if (auto* observer = Observer::Active()) observer->BeforeStreamDestroy(stream);
  return CallReal<Hook::cuStreamDestroy_v2>(stream);
}
