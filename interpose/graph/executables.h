// Executables: the instantiated graphs of the job: what each was made of, whole-graph updates,
// every launch, its end. Owner: the observer. Threads: any; a launch of the executable that its
// thread launched last takes that executable's lock alone. Failure: an executable that was made
// unseen is counted; what needs memory may throw bad_alloc, but for the launch path. Units: ns.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include "interpose/graph/companion.h"
#include "interpose/graph/graphs.h"
#include "interpose/graph/replays.h"

namespace graphtap::graph {

struct ExecutableState {
  std::uint32_t number = 0;
  CUgraphExec handle = nullptr;
  std::unique_ptr<const record::OwnedText> key;
  std::shared_ptr<GraphVersion> made_of;  // whose node handles name its nodes
  std::mutex mutex;                       // guards `current`
  std::shared_ptr<GraphVersion> current;  // what it is after the last whole-graph update
  Replays replays;
  std::shared_ptr<Companion> companion;  // set before the job knows the executable; may be nullptr
};

class Executables {
 public:
  // What is to be kept beside a new executable, by its key and flags; nullptr: nothing.
  using Accompany = std::function<std::shared_ptr<Companion>(
      const ExecutableState& state, const std::string& key, CUgraph graph,
      const GraphVersion& version, const GraphModel& model, std::uint64_t flags)>;

  Executables(session::Session& session, Graphs& graphs, Accompany accompany)
      : session_(session), graphs_(graphs), accompany_(std::move(accompany)) {}

  // `call` is the name of the driver call; `range` the innermost NVTX range, for an unseen graph.
  // The number of the executable; nullopt: there is none.
  std::optional<std::uint32_t> OnInstantiate(const char* call, CUgraphExec executable,
                                             CUgraph graph, CUresult result,
                                             const std::string& range);

  // The number of what stands for an executable without being one.
  std::uint32_t TakeNumber();

  // Before the real destroy the state leaves the table, so that its handle cannot be another one's
  // by then; afterwards it is closed, or put back if the destroy failed.
  std::shared_ptr<ExecutableState> Take(CUgraphExec executable) noexcept;
  void OnDestroy(CUgraphExec executable, std::shared_ptr<ExecutableState> state, CUresult result);

  // The executable that is launched, as long as it is not destroyed; nullptr: it is not known.
  ExecutableState* FindForLaunch(CUgraphExec executable) noexcept;
  // After the launch; the number of the replay, 0 if it failed or could not be counted.
  std::uint64_t OnLaunch(ExecutableState* state, const session::StreamRef& stream,
                         CUresult result) noexcept;

  // `detail` is what the driver filled in, if the job asked for it.
  void OnUpdate(const char* call, CUgraphExec executable, CUgraph graph, CUresult result,
                const CUgraphExecUpdateResult* detail);

  // The state, or nullptr: then the loss is counted.
  std::shared_ptr<ExecutableState> Find(CUgraphExec executable) const noexcept;

  // An Update record begun: who, when, after which replay. Ranges before it are written first.
  record::Update StartUpdate(const char* call, ExecutableState& state, CUresult result);

  // On the writer thread: writes the launches since the last call.
  void WriteReplays() noexcept;

 private:
  void WriteReplays(ExecutableState& state);

  session::Session& session_;
  Graphs& graphs_;
  const Accompany accompany_;
  mutable std::shared_mutex mutex_;  // guards all below
  std::unordered_map<CUgraphExec, std::shared_ptr<ExecutableState>> states_;
  // The last to go: a job that destroys an executable while another thread launches it is wrong,
  // but its launch must not find freed memory here.
  std::deque<std::shared_ptr<ExecutableState>> gone_;
  std::atomic<std::uint64_t> generation_{1};  // grows when the map changes; read without the lock
  std::uint32_t next_number_ = 0;
};

}  // namespace graphtap::graph
