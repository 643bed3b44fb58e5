// Executable: what a CUgraphExec stands for. Owner: the caller of cuGraphInstantiate; launches in
// flight own their part of it. Threads: all under GraphLock. Failure: CUresult. Its launches follow
// one another in the order of the calls, on whichever streams; those of two executables do not.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "tests/hostcuda/driver/completion.h"
#include "tests/hostcuda/graph/pairing.h"
#include "tests/hostcuda/graph/program.h"

namespace hostcuda {

struct Stream;

class Executable {
 public:
  // INVALID_VALUE and *error_node if the graph has a cycle.
  static CUresult Make(Graph& graph, std::uint64_t flags, std::unique_ptr<Executable>* made,
                       const Node** error_node);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // Storage is used again, so that handles of destroyed executables come back, as the real driver's
  // do, whatever the allocator. Under GraphLock.
  static void* operator new(std::size_t size);
  static void operator delete(void* storage);

  std::uint64_t flags() const { return flags_; }

  // Where the node of the graph that was instantiated is, or one of its embedded graphs.
  std::optional<ProgramPath> Find(const Node& node) const { return FindNode(*shape_, node.id); }
  CUgraphNodeType TypeAt(const ProgramPath& path) const { return ShapeAt(*shape_, path).type; }
  const ProgramStep& StepAt(const ProgramPath& path) const {
    return hostcuda::StepAt(*state_, path);
  }

  // INVALID_VALUE for parameters of another kind or a change that an executable does not allow.
  CUresult SetWork(const ProgramPath& path, const std::shared_ptr<const Work>& work);
  CUresult SetChild(const ProgramPath& path, const Graph& graph);
  void SetEnabled(const ProgramPath& path, bool enabled);
  // All or nothing.
  UpdateOutcome Update(const Graph& graph);

  // Queues one run with the parameters of now. INVALID_VALUE if memory that it allocates still is
  // allocated, or memory that it frees is not.
  CUresult Launch(Stream& stream);

 private:
  Executable(Graph& graph, std::uint64_t flags, std::shared_ptr<const ProgramShape> shape);
  ProgramState& OwnState();  // apart from what launches hold

  std::uint64_t flags_;
  std::shared_ptr<const ProgramShape> shape_;
  std::shared_ptr<ProgramState> state_;
  bool launched_with_state_ = false;
  std::shared_ptr<UserObjectSet> user_objects_;
  CompletionPtr last_launch_;
  std::shared_ptr<void> instantiation_;  // what Graph::instantiated watches
};

}  // namespace hostcuda
