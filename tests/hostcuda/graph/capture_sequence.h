// CaptureSequence: one capture from begin to end, with the streams and events in it. Owner: the
// table below; it ends with its origin stream's EndCapture. Threads: all under GraphLock, but for
// the calling thread's own mode. Failure: CUresult; a broken capture stays open, and refuses work,
// until it is ended.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/graph.h"

namespace hostcuda {

// What the next node depends on. Two lists, since the driver hands out pointers to both.
struct CaptureTips {
  std::vector<CUgraphNode> nodes;
  std::vector<CUgraphEdgeData> edges;

  // Adds a node that is not among them yet.
  void Add(CUgraphNode node, const CUgraphEdgeData& edge);
};

struct CaptureSequence {
  std::uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  const Stream* origin = nullptr;
  Graph* graph = nullptr;
  std::unique_ptr<Graph> owned;  // null where the capture adds to a graph of the caller
  CaptureTips abandoned;         // tips of joined streams that were destroyed
  bool broken = false;
  bool ended = false;
};

// The part that one stream has in a capture, or the point of it that one event was recorded at. An
// event keeps its point, without tips, when the capture ends: it is of no use until it is recorded
// again.
struct CapturePoint {
  std::shared_ptr<CaptureSequence> sequence;
  CaptureTips tips;
};

struct CaptureTable {
  std::unordered_map<const Stream*, CapturePoint> streams;
  std::unordered_map<const Event*, CapturePoint> events;

  CapturePoint* Find(const Stream& stream);
};

CaptureTable& Captures();

// The calling thread's mode, as cuThreadExchangeStreamCaptureMode sets it.
CUstreamCaptureMode& ThreadCaptureMode();

// False as long as there was no capture: a cheap question that needs no lock.
bool AnyCapture();

// Starts a capture of `stream` into `graph`, or into a graph of its own where that is null.
CUresult BeginCapture(const Stream& stream, Graph* graph, CaptureTips tips,
                      CUstreamCaptureMode mode);
// Ends it. *graph is what was captured, null on failure; *owned is set where the capture made it.
CUresult EndCapture(const Stream& stream, Graph** graph, std::unique_ptr<Graph>* owned);
// Takes all streams out of the capture.
void CloseCapture(CaptureSequence& sequence);

// Adds a node behind the stream's tips and makes it the only one; *node is it where that is asked
// for. A node that the graph may not have breaks the capture.
CUresult AppendNode(CapturePoint& point, std::shared_ptr<const Work> work, Node** added = nullptr);

// The first error of a call on a stream in a broken capture.
inline CUresult CheckOpen(const CapturePoint& point) {
  return point.sequence->broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

// True if a blocking stream of the context is capturing; those captures are broken if `fatal`.
bool LegacyStreamWouldJoin(const Context& context, bool fatal);

}  // namespace hostcuda
