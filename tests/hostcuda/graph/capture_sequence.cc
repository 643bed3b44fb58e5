#include "tests/hostcuda/graph/capture_sequence.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/node_work.h"
#include "tests/hostcuda/graph/restrictions.h"

namespace hostcuda {
namespace {

std::atomic<bool> any_capture{false};

// All nodes that the origin stream's next node would wait for.
std::set<const Node*> Reached(const CaptureTips& tips) {
  std::vector<const Node*> open;
  for (CUgraphNode tip : tips.nodes) open.push_back(Find(tip));
  std::set<const Node*> reached;
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (node == nullptr || !reached.insert(node).second) continue;
    for (const Link& link : node->dependencies) open.push_back(link.node);
  }
  return reached;
}

bool AreAmong(const CaptureTips& tips, const std::set<const Node*>& nodes) {
  return std::all_of(tips.nodes.begin(), tips.nodes.end(),
                     [&](CUgraphNode tip) { return nodes.contains(Find(tip)); });
}

bool IsJoined(const CapturePoint& origin) {
  std::set<const Node*> reached = Reached(origin.tips);
  if (!AreAmong(origin.sequence->abandoned, reached)) return false;
  return std::all_of(Captures().streams.begin(), Captures().streams.end(), [&](const auto& entry) {
    const CapturePoint& point = entry.second;
    return point.sequence != origin.sequence || AreAmong(point.tips, reached);
  });
}

}  // namespace

void CaptureTips::Add(CUgraphNode node, const CUgraphEdgeData& edge) {
  if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return;
  nodes.push_back(node);
  edges.push_back(edge);
}

CapturePoint* CaptureTable::Find(const Stream& stream) {
  auto found = streams.find(&stream);
  return found == streams.end() ? nullptr : &found->second;
}

CaptureTable& Captures() {
  static auto* table = new CaptureTable;
  return *table;
}

CUstreamCaptureMode& ThreadCaptureMode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

bool AnyCapture() { return any_capture.load(); }

CUresult BeginCapture(const Stream& stream, Graph* graph, CaptureTips tips,
                      CUstreamCaptureMode mode) {
  if (stream.kind == StreamKind::kLegacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (Captures().Find(stream) != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  static std::uint64_t last_id = 0;
  auto sequence = std::make_shared<CaptureSequence>();
  sequence->id = ++last_id;
  sequence->mode = mode;
  sequence->thread = std::this_thread::get_id();
  sequence->origin = &stream;
  sequence->graph = graph;
  if (graph == nullptr) {
    sequence->owned = std::make_unique<Graph>();
    sequence->graph = sequence->owned.get();
  }
  sequence->graph->capturing = true;
  Captures().streams[&stream] = {std::move(sequence), std::move(tips)};
  any_capture = true;
  return CUDA_SUCCESS;
}

void CloseCapture(CaptureSequence& sequence) {
  sequence.graph->capturing = false;
  sequence.ended = true;
  std::erase_if(Captures().streams,
                [&](const auto& entry) { return entry.second.sequence.get() == &sequence; });
  for (auto& [event, point] : Captures().events) {
    if (point.sequence.get() == &sequence) point.tips = {};
  }
}

CUresult EndCapture(const Stream& stream, Graph** graph, std::unique_ptr<Graph>* owned) {
  *graph = nullptr;
  CapturePoint* point = Captures().Find(stream);
  if (point == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  std::shared_ptr<CaptureSequence> sequence = point->sequence;
  if (sequence->origin != &stream) {
    sequence->broken = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  CUresult result = CheckOpen(*point);
  if (sequence->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      sequence->thread != std::this_thread::get_id()) {
    result = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  if (result == CUDA_SUCCESS && !IsJoined(*point)) result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  CloseCapture(*sequence);
  if (result != CUDA_SUCCESS) {
    sequence->owned.reset();  // events may keep the sequence
    return result;
  }
  *graph = sequence->graph;
  *owned = std::move(sequence->owned);
  return CUDA_SUCCESS;
}

CUresult AppendNode(CapturePoint& point, std::shared_ptr<const Work> work, Node** added) {
  Graph& graph = *point.sequence->graph;
  CUresult result = CheckNewNode(graph, work.get());
  if (result != CUDA_SUCCESS) {
    point.sequence->broken = true;
    return result;
  }
  CUgraphNodeType type = NodeTypeOf(*work);
  Node& node = graph.AddNode(type, std::move(work));
  for (std::size_t i = 0; i < point.tips.nodes.size(); ++i) {
    if (Node* tip = Find(point.tips.nodes[i])) graph.Connect(*tip, node, point.tips.edges[i]);
  }
  point.tips = {};
  point.tips.Add(Handle(&node), {});
  graph.NoteMemory(node);
  if (added != nullptr) *added = &node;
  return CUDA_SUCCESS;
}

bool LegacyStreamWouldJoin(const Context& context, bool fatal) {
  bool joins = false;
  for (auto& [stream, point] : Captures().streams) {
    if (&stream->context != &context || !stream->IsBlocking()) continue;
    joins = true;
    if (fatal) point.sequence->broken = true;
  }
  return joins;
}

}  // namespace hostcuda
