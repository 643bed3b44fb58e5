#include "tests/hostcuda/graph/capture.h"

#include <memory>
#include <utility>

#include "tests/hostcuda/driver/event.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture_sequence.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/node_work.h"

namespace hostcuda {
namespace {

// Takes an attribute that concerns the launch, not the node, out of the kernel's attributes.
bool TakeAttribute(KernelWork& kernel, CUkernelNodeAttrID id, CUkernelNodeAttrValue* value) {
  auto found = kernel.attributes.find(id);
  if (found == kernel.attributes.end()) return false;
  *value = found->second;
  kernel.attributes.erase(found);
  return true;
}

// The kernel may start before the kernels that it depends on are over.
void MakeProgrammatic(CaptureTips& tips) {
  for (std::size_t i = 0; i < tips.nodes.size(); ++i) {
    const Node* tip = Find(tips.nodes[i]);
    if (tip == nullptr || tip->type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    tips.edges[i].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    tips.edges[i].from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  }
}

// The event stands for the kernel's programmatic point.
void RecordProgrammatic(const Event& event, const CapturePoint& point, const Node& kernel) {
  CUgraphEdgeData edge{};
  edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  CapturePoint& recorded = Captures().events[&event];
  recorded = {point.sequence, {}};
  recorded.tips.Add(Handle(&kernel), edge);
}

CUresult CaptureKernel(const Stream& stream, CapturePoint& point, KernelWork kernel) {
  CUkernelNodeAttrValue value{};
  std::shared_ptr<Event> event;
  if (TakeAttribute(kernel, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, &value)) {
    event = Live<Event>().Find(value.programmaticEvent.event);
    if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  }
  if (TakeAttribute(kernel, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, &value) &&
      value.programmaticStreamSerializationAllowed != 0) {
    MakeProgrammatic(point.tips);
  }
  if (stream.priority != 0) {
    CUkernelNodeAttrValue priority{};
    priority.priority = stream.priority;
    kernel.attributes.try_emplace(CU_LAUNCH_ATTRIBUTE_PRIORITY, priority);
  }
  Node* node = nullptr;
  CUresult result = AppendNode(point, std::make_shared<const Work>(std::move(kernel)), &node);
  if (result == CUDA_SUCCESS && event != nullptr) RecordProgrammatic(*event, point, *node);
  return result;
}

CUresult Join(const Stream& stream, const CapturePoint& recorded) {
  CapturePoint* point = Captures().Find(stream);
  if (point == nullptr) {
    Captures().streams[&stream] = recorded;
    return CUDA_SUCCESS;
  }
  if (point->sequence != recorded.sequence) {
    point->sequence->broken = true;
    recorded.sequence->broken = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  for (std::size_t i = 0; i < recorded.tips.nodes.size(); ++i) {
    point->tips.Add(recorded.tips.nodes[i], recorded.tips.edges[i]);
  }
  return CUDA_SUCCESS;
}

// A wait for an event whose latest record is in a capture.
CUresult WaitForCaptured(const Stream& stream, const CapturePoint& recorded) {
  if (recorded.sequence->ended) {
    if (CapturePoint* point = Captures().Find(stream)) point->sequence->broken = true;
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (stream.kind == StreamKind::kLegacy) {
    recorded.sequence->broken = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  CUresult result = CheckOpen(recorded);
  return result == CUDA_SUCCESS ? Join(stream, recorded) : result;
}

// A copy or fill of nothing.
bool IsNothing(const Work& work) {
  if (const auto* copy = std::get_if<CopyWork>(&work)) {
    return copy->copy.WidthInBytes == 0 || copy->copy.Height == 0 || copy->copy.Depth == 0;
  }
  const auto* fill = std::get_if<FillWork>(&work);
  return fill != nullptr && (fill->fill.width == 0 || fill->fill.height == 0);
}

// True if the legacy stream must not be used now, for it would wait for a capturing stream.
bool RefuseLegacyUse(const Stream& stream, CUresult* result) {
  if (stream.kind != StreamKind::kLegacy || !LegacyStreamWouldJoin(stream.context, true)) {
    return false;
  }
  *result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  return true;
}

// False if the stream does not capture. *point is its place in the capture, or null where the call
// is refused: *result says with what.
bool IsCapturing(const Stream& stream, CapturePoint** point, CUresult* result) {
  *point = nullptr;
  if (RefuseLegacyUse(stream, result)) return true;
  CapturePoint* found = Captures().Find(stream);
  if (found == nullptr) return false;
  *result = CheckOpen(*found);
  if (*result == CUDA_SUCCESS) *point = found;
  return true;
}

// A node of what `make` makes. What cannot be made is refused, and the capture goes on.
template <typename Make>
bool CaptureMade(const Stream& stream, Make make, SharedWork* work, CUresult* result) {
  if (!AnyCapture()) return false;
  GraphLock lock;
  CapturePoint* point = nullptr;
  if (!IsCapturing(stream, &point, result)) return false;
  if (point == nullptr) return true;
  *result = make(work);
  if (*result == CUDA_SUCCESS) *result = AppendNode(*point, *work);
  return true;
}

}  // namespace

bool CaptureWork(Stream& stream, const Work& work, CUresult* result) {
  if (!AnyCapture()) return false;
  GraphLock lock;
  CapturePoint* point = nullptr;
  if (!IsCapturing(stream, &point, result)) return false;
  if (point == nullptr || IsNothing(work)) return true;
  if (auto* kernel = std::get_if<KernelWork>(&work)) {
    *result = CaptureKernel(stream, *point, *kernel);
  } else {
    *result = AppendNode(*point, std::make_shared<const Work>(work));
  }
  return true;
}

bool CaptureAllocation(Stream& stream, std::size_t bytes, int device, CUdeviceptr* address,
                       CUresult* result) {
  SharedWork work;
  bool captured = CaptureMade(
      stream, [&](SharedWork* made) { return MakeAllocateWork(bytes, device, made); }, &work,
      result);
  if (captured && *result == CUDA_SUCCESS) *address = AllocationOf(*work).address();
  return captured;
}

bool CaptureFree(Stream& stream, CUdeviceptr address, CUresult* result) {
  SharedWork work;
  return CaptureMade(
      stream, [&](SharedWork* made) { return MakeFreeWork(address, made); }, &work, result);
}

bool CaptureEventRecord(Stream& stream, Event& event, unsigned flags, CUresult* result) {
  if (!AnyCapture()) return false;
  GraphLock lock;
  if (RefuseLegacyUse(stream, result)) return true;
  CapturePoint* point = Captures().Find(stream);
  if (point == nullptr) {
    Captures().events.erase(&event);
    return false;
  }
  *result = CheckOpen(*point);
  if (*result != CUDA_SUCCESS) return true;
  if ((flags & CU_EVENT_RECORD_EXTERNAL) != 0) {
    *result = AppendNode(*point, std::make_shared<const Work>(RecordWork{&event, nullptr}));
  } else {
    Captures().events[&event] = *point;
  }
  return true;
}

bool CaptureEventWait(Stream& stream, Event& event, unsigned flags, CUresult* result) {
  if (!AnyCapture()) return false;
  GraphLock lock;
  if (RefuseLegacyUse(stream, result)) return true;
  CapturePoint* point = Captures().Find(stream);
  if (point != nullptr) {
    *result = CheckOpen(*point);
    if (*result != CUDA_SUCCESS) return true;
    if ((flags & CU_EVENT_WAIT_EXTERNAL) != 0) {
      *result = AppendNode(*point, std::make_shared<const Work>(WaitWork{&event, nullptr}));
      return true;
    }
  }
  auto recorded = Captures().events.find(&event);
  if (recorded != Captures().events.end()) {
    *result = WaitForCaptured(stream, CapturePoint(recorded->second));
    return true;
  }
  if (point == nullptr) return false;
  if (event.LatestRecord() == nullptr) return true;  // nothing to wait for
  point->sequence->broken = true;
  *result = CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  return true;
}

CUresult CheckNotCaptured(const Event& event) {
  if (!AnyCapture()) return CUDA_SUCCESS;
  GraphLock lock;
  auto recorded = Captures().events.find(&event);
  if (recorded == Captures().events.end()) return CUDA_SUCCESS;
  if (recorded->second.sequence->ended) return CUDA_ERROR_INVALID_VALUE;
  recorded->second.sequence->broken = true;
  return CUDA_ERROR_CAPTURED_EVENT;
}

void ForgetStream(const Stream& stream) {
  if (!AnyCapture()) return;
  GraphLock lock;
  CapturePoint* point = Captures().Find(stream);
  if (point == nullptr) return;
  std::shared_ptr<CaptureSequence> sequence = point->sequence;
  if (sequence->origin == &stream) {
    CloseCapture(*sequence);
    sequence->owned.reset();
    return;
  }
  for (std::size_t i = 0; i < point->tips.nodes.size(); ++i) {
    sequence->abandoned.Add(point->tips.nodes[i], point->tips.edges[i]);
  }
  Captures().streams.erase(&stream);
}

void ForgetEvent(const Event& event) {
  if (!AnyCapture()) return;
  GraphLock lock;
  Captures().events.erase(&event);
}

}  // namespace hostcuda
