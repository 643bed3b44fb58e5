// Companion: what another part keeps beside an executable and needs to be told of its changes.
// Owner: the executable's state. Threads: any, as the job calls. Failure: fail open: a companion
// that cannot follow a change says so itself. May throw bad_alloc.
#pragma once

#include <cstdint>
#include <functional>

#include "interpose/graph/graph_reader.h"

namespace graphtap::graph {

class GraphVersion;

class Companion {
 public:
  virtual ~Companion() = default;

  // Each after a call of the job that succeeded. `node`: index in the version that the executable
  // was made of. `apply` does to a node of a graph what the call did to the executable's.
  using Apply = std::function<CUresult(CUgraphNode)>;
  virtual void OnParameters(std::uint32_t node, const record::NodeParameters& parameters,
                            const Apply& apply) = 0;
  virtual void OnEnabled(std::uint32_t node, bool enabled) = 0;
  virtual void OnChild(std::uint32_t node, CUgraph child, const GraphModel& model) = 0;
  virtual void OnUpdate(CUgraph graph, const GraphVersion& version, const GraphModel& model) = 0;

  // A change that cannot be told: of a node that nobody knows, or memory ran out.
  virtual void OnUnknownChange() noexcept = 0;

  // The executable is gone.
  virtual void OnDestroy() = 0;
};

// While one lives, the job has changed an executable and its companion is not told yet.
class PendingChange {
 public:
  explicit PendingChange(Companion* companion) noexcept : companion_(companion) {}
  ~PendingChange() {
    if (companion_ != nullptr) companion_->OnUnknownChange();
  }
  PendingChange(const PendingChange&) = delete;
  PendingChange& operator=(const PendingChange&) = delete;

  void Told() noexcept { companion_ = nullptr; }

 private:
  Companion* companion_;
};

}  // namespace graphtap::graph
