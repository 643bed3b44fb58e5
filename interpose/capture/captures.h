// Captures: every stream capture of the job, from begin to end, and the scopes of the nodes in it.
// At each NVTX range edge the capturing streams are asked for their last node; nodes are in
// creation order, so the edges cut them into stretches of one scope each. Owner: the observer.
// Threads: any. Failure: what the driver does not tell stays without scope. May throw bad_alloc.
// Units: ns.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "interpose/abi/adapter.h"
#include "interpose/blocks/allocator_log.h"
#include "interpose/graph/graphs.h"
#include "interpose/ops/gradient_namer.h"
#include "interpose/ops/op_log.h"
#include "interpose/ops/thread_ops.h"
#include "interpose/points/points.h"
#include "interpose/python/python.h"
#include "interpose/session/session.h"

namespace graphtap::capture {

class Captures {
 public:
  Captures(session::Session& session, graph::Graphs& graphs, blocks::AllocatorLog& allocator,
           points::Points& points, python::Python& python)
      : session_(session),
        graphs_(graphs),
        allocator_(allocator),
        points_(points),
        python_(python) {}

  // After a successful begin. `to_graph`: into a graph of the job's own.
  void OnBegin(const session::StreamRef& stream, CUstreamCaptureMode mode, bool to_graph);

  // After the end, whatever its result; `graph` is what it gave: nullptr if the job did not ask.
  void OnEnd(const session::StreamRef& stream, CUgraph graph, CUresult result);

  // After a stream waited for an event: it may have joined a capture.
  void OnWait(const session::StreamRef& stream);

  // Before a stream is destroyed: it is asked no more; a capture that it began ends without a
  // graph.
  void OnStreamDestroy(CUstream stream);

  // After a range was opened or closed on this thread.
  void OnRangeEdge();

  // An operator began on this thread; `stream` is the one that it launches on. False: that is not
  // captured. Else *opened is what OnOpEnd() is to be given.
  bool OnOpBegin(const GraphtapOp& op, const session::StreamRef& stream, ops::OpenOp* opened);
  void OnOpEnd(const ops::OpenOp& op, const GraphtapOpResult& result);

  // The newest node of a stream in a capture, before a call that may add one; nullptr: there are
  // none or several, or nobody asks for places here.
  CUgraphNode BeforeNode(const session::StreamRef& stream) const;
  // After such a call; of one that always adds a node `before` is nullptr.
  void OnNode(const session::StreamRef& stream, CUgraphNode before);

  // Of the tensor of the program that begins there, as far as it is known now.
  std::optional<record::StringId> NameOfParameter(std::uint64_t address);

  // So many captures have begun.
  std::uint32_t Begun() const noexcept { return next_number_.load(std::memory_order_relaxed); }

  // True while any capture is open: the hooks of frequent calls ask this first.
  bool AnyOpen() const noexcept { return open_count_.load(std::memory_order_relaxed) != 0; }

 private:
  // A moment at which the scope changed: the last nodes of the streams then, the scope from then
  // on.
  struct Edge {
    std::vector<CUgraphNode> last_nodes;
    std::string scope;
    std::size_t existing = 0;  // nodes that were there before the capture
  };
  struct Member {
    session::StreamRef stream;
    std::thread::id thread;  // that began the capture on it or joined it: only this one asks it
  };
  struct Open {
    record::Capture record;
    cuuint64_t id = 0;        // the driver's
    CUgraph graph = nullptr;  // under capture
    std::string key;
    std::unique_ptr<const record::OwnedText> key_text;
    std::vector<Member> streams;    // the origin first
    std::uint64_t first_range = 0;  // ranges opened in the capture have this number or a higher one
    std::thread::id thread;
    std::vector<Edge> edges;
    ops::OpLog ops;
    std::shared_ptr<blocks::History> blocks;  // null: nothing is known of them
  };
  struct Info {
    bool active = false;
    cuuint64_t id = 0;
    CUgraph graph = nullptr;
    std::vector<CUgraphNode> last_nodes;
  };

  std::shared_ptr<Open> TakeOpen(const session::StreamRef& origin);
  std::shared_ptr<Open> Find(cuuint64_t id);
  void Fail(Open* open);
  Info Ask(const session::StreamRef& stream) const;
  bool HasOwnPlace() const;  // what the calling thread launches
  blocks::AllocatorLog::When Point(const record::Capture& capture, record::PointEdge edge);
  void TakeEnd(Open* open);
  static std::unordered_map<CUgraphNode, blocks::Interval> Intervals(
      const Open& open, const std::vector<CUgraphNode>& nodes);
  std::vector<CUgraphNode> NodesOf(CUgraph graph) const;
  std::unordered_map<CUgraphNode, record::StringId> Scopes(const Open& open,
                                                           const std::vector<CUgraphNode>& nodes);

  session::Session& session_;
  graph::Graphs& graphs_;
  blocks::AllocatorLog& allocator_;
  points::Points& points_;
  python::Python& python_;
  ops::ForwardOps forward_ops_;
  std::atomic<std::uint32_t> open_count_{0};
  std::atomic<std::uint32_t> next_number_{0};
  std::mutex mutex_;  // guards all below
  std::vector<std::shared_ptr<Open>> open_;
};

}  // namespace graphtap::capture
