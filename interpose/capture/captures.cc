#include "interpose/capture/captures.h"

#include <algorithm>

#include "interpose/nvtx/ranges.h"
#include "interpose/ops/node_positions.h"

namespace graphtap::capture {

// An edge of the capture, "capture:3:begin", which is a point if it is wanted.
blocks::AllocatorLog::When Captures::Point(const record::Capture& capture, record::PointEdge edge) {
  std::string label = "capture:" + std::to_string(capture.number);
  label += edge == record::PointEdge::kBegin ? ":begin" : ":end";
  const auto number = points_.OnCapture(label, edge);
  return {std::move(label), number};
}

Captures::Info Captures::Ask(const session::StreamRef& stream) const {
  const auto& calls = session_.calls();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  Info info;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* data = nullptr;
  std::size_t count = 0;
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;
  if (calls.capture_info_edges != nullptr) {
    result = calls.capture_info_edges(stream.handle, &status, &info.id, &info.graph, &nodes, &data,
                                      &count);
  } else if (calls.capture_info != nullptr) {
    result = calls.capture_info(stream.handle, &status, &info.id, &info.graph, &nodes, &count);
  }
  info.active = result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (info.active) info.last_nodes.assign(nodes, nodes + count);
  return info;
}

void Captures::OnBegin(const session::StreamRef& stream, CUstreamCaptureMode mode, bool to_graph) {
  // One that its stream still seems to have ended unseen, with a context or an older handle.
  if (const auto stale = TakeOpen(stream)) Fail(stale.get());
  auto open = std::make_shared<Open>();
  const Info info = Ask(stream);
  open->id = info.id;
  open->graph = info.graph;
  open->thread = std::this_thread::get_id();
  open->streams.push_back({stream, open->thread});
  open->first_range = nvtx::NextNumber();
  open->key = graphs_.NextKey(nvtx::Innermost());
  Edge begin;
  if (to_graph) session_.calls().graph_nodes(info.graph, nullptr, &begin.existing);
  open->edges.push_back(std::move(begin));
  open->key_text = std::make_unique<const record::OwnedText>(session_.recorder(), open->key);
  open->record.key = open->key_text->id();
  open->record.mode = static_cast<std::uint32_t>(mode);
  open->record.thread = session_.CurrentThread();
  open->record.stream = session_.StreamNumber(stream);
  open->record.to_graph = to_graph;
  open->record.number = next_number_.fetch_add(1, std::memory_order_relaxed);
  open->blocks = allocator_.Begin(Point(open->record, record::PointEdge::kBegin));
  open->record.begin_ns = session::Now();
  python_.OnCaptureBegin(open->record.number);
  const std::lock_guard lock(mutex_);
  session_.recorder().Append(open->record);
  open_.push_back(std::move(open));
  open_count_.store(static_cast<std::uint32_t>(open_.size()), std::memory_order_relaxed);
}

void Captures::Fail(Open* open) {
  open->record.end_ns = session::Now();
  TakeEnd(open);
  open->record.outcome = record::CaptureOutcome::kFailed;
  session_.recorder().Append(open->record);
}

std::shared_ptr<Captures::Open> Captures::TakeOpen(const session::StreamRef& origin) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const auto& candidate) {
    return candidate->streams.front().stream == origin;
  });
  if (found == open_.end()) return nullptr;
  auto open = std::move(*found);
  open_.erase(found);
  open_count_.store(static_cast<std::uint32_t>(open_.size()), std::memory_order_relaxed);
  return open;
}

void Captures::OnStreamDestroy(CUstream stream) {
  const session::StreamRef gone{stream};
  if (const auto open = TakeOpen(gone)) Fail(open.get());
  const std::lock_guard lock(mutex_);
  for (const auto& open : open_) {
    std::erase_if(open->streams, [&](const Member& member) { return member.stream == gone; });
  }
}

void Captures::OnEnd(const session::StreamRef& stream, CUgraph graph, CUresult result) {
  const auto open = TakeOpen(stream);
  if (open == nullptr) return;
  open->record.end_ns = session::Now();
  TakeEnd(open.get());
  // Into a graph of its own a job need not ask for it.
  if (graph == nullptr && open->record.to_graph) graph = open->graph;
  auto& record = open->record;
  for (std::size_t i = 1; i < open->streams.size(); ++i) {
    record.joined_streams.push_back(session_.StreamNumber(open->streams[i].stream));
  }
  record.outcome = record::CaptureOutcome::kGraph;
  if (result == CUDA_SUCCESS && graph != nullptr) {
    graph::Graphs::CapturedGraph captured;
    captured.handle = graph;
    captured.key = open->key;
    captured.capture = record.number;
    captured.to_graph = record.to_graph;
    const auto nodes = NodesOf(graph);
    captured.scopes = Scopes(*open, nodes);
    captured.ops = open->ops.Resolve(nodes, open->edges.front().existing, &forward_ops_);
    ops::GradientNamer namer([this](std::uint64_t address) { return NameOfParameter(address); });
    for (record::Op& op : captured.ops.ops) {
      if (op.gradient) namer.Name(&*op.gradient);
    }
    captured.blocks = Intervals(*open, nodes);
    record.node_count = static_cast<std::uint32_t>(nodes.size());
    record.graph = graphs_.OnCaptured(std::move(captured));
  } else if (result != CUDA_SUCCESS) {
    record.outcome = record::CaptureOutcome::kFailed;
    record.error = static_cast<std::uint32_t>(result);
  }
  session_.recorder().Append(record);
}

std::shared_ptr<Captures::Open> Captures::Find(cuuint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const auto& open) { return open->id == id; });
  return found == open_.end() ? nullptr : *found;
}

void Captures::OnWait(const session::StreamRef& stream) {
  const Info info = Ask(stream);
  if (!info.active) return;
  const std::lock_guard lock(mutex_);
  for (const auto& open : open_) {
    if (open->id != info.id) continue;
    auto& streams = open->streams;
    const bool known = std::any_of(streams.begin(), streams.end(),
                                   [&](const Member& member) { return member.stream == stream; });
    if (!known) streams.push_back({stream, std::this_thread::get_id()});
  }
}

// The driver is asked without the lock: it may be busy, and a host function that opens a range may
// be what it waits for. Another thread's streams are not asked: its next call on one would end the
// life of what the driver answered.
void Captures::OnRangeEdge() {
  const auto self = std::this_thread::get_id();
  std::vector<std::shared_ptr<Open>> own;
  std::vector<std::vector<session::StreamRef>> streams;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& open : open_) {
      if (open->thread != self) continue;
      own.push_back(open);
      streams.emplace_back();
      for (const Member& member : open->streams) {
        if (member.thread == self) streams.back().push_back(member.stream);
      }
    }
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    Edge edge;
    bool alive = false;
    for (const auto stream : streams[i]) {
      const Info info = Ask(stream);
      if (!info.active || info.id != own[i]->id) continue;
      alive = true;
      edge.last_nodes.insert(edge.last_nodes.end(), info.last_nodes.begin(), info.last_nodes.end());
    }
    if (!alive) continue;
    edge.scope = nvtx::PathFrom(own[i]->first_range);
    const std::lock_guard lock(mutex_);
    // Another thread may have ended it, which then reads its edges.
    if (std::find(open_.begin(), open_.end(), own[i]) == open_.end()) continue;
    own[i]->edges.push_back(std::move(edge));
  }
}

void Captures::TakeEnd(Open* open) {
  const auto when = Point(open->record, record::PointEdge::kEnd);
  if (open->blocks != nullptr) allocator_.End(open->blocks.get(), when);
}

std::unordered_map<CUgraphNode, blocks::Interval> Captures::Intervals(
    const Open& open, const std::vector<CUgraphNode>& nodes) {
  std::unordered_map<CUgraphNode, blocks::Interval> intervals;
  if (open.blocks == nullptr || !open.blocks->complete) return intervals;
  const std::uint64_t first = open.blocks->first;
  const std::size_t existing = open.edges.front().existing;
  const auto moments =
      open.ops.Moments(nodes, existing, {first, first + open.blocks->events.size()});
  for (std::size_t i = existing; i < nodes.size(); ++i) {
    intervals.emplace(nodes[i], blocks::Interval{open.blocks, moments[i].begin, moments[i].end});
  }
  return intervals;
}

// In the order of creation; none if the driver does not tell.
std::vector<CUgraphNode> Captures::NodesOf(CUgraph graph) const {
  const auto& calls = session_.calls();
  std::size_t count = 0;
  if (calls.graph_nodes(graph, nullptr, &count) != CUDA_SUCCESS) return {};
  std::vector<CUgraphNode> nodes(count);
  if (count > 0 && calls.graph_nodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return {};
  nodes.resize(count);
  return nodes;
}

std::unordered_map<CUgraphNode, record::StringId> Captures::Scopes(
    const Open& open, const std::vector<CUgraphNode>& nodes) {
  const std::size_t count = nodes.size();
  if (open.edges.size() == 1) return {};  // no range
  const ops::NodePositions positions(nodes);

  // Where each edge cuts the creation order: behind the latest node that any stream had then.
  std::vector<std::size_t> cuts;
  for (const Edge& edge : open.edges) {
    std::size_t cut = std::max(edge.existing, cuts.empty() ? 0 : cuts.back());
    for (CUgraphNode node : edge.last_nodes) {
      const auto found = positions.Find(node);
      if (found) cut = std::max(cut, std::size_t{*found} + 1);
    }
    cuts.push_back(cut);
  }
  cuts.push_back(std::max(count, cuts.back()));

  std::unordered_map<CUgraphNode, record::StringId> scopes;
  for (std::size_t e = 0; e < open.edges.size(); ++e) {
    if (open.edges[e].scope.empty() || cuts[e] == cuts[e + 1]) continue;
    const auto scope = graphs_.InternName(open.edges[e].scope);
    for (std::size_t i = cuts[e]; i < std::min(cuts[e + 1], count); ++i)
      scopes.emplace(nodes[i], scope);
  }
  return scopes;
}

}  // namespace graphtap::capture
