// Conditional: the variable behind a CUgraphConditionalHandle, which a conditional node asks and
// kernels set. Owner: shared by its graph, its node and executables. Threads: the value any, the
// rest under GraphLock. Failure: none. No units.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace hostcuda {

struct Context;

struct Conditional {
  Conditional(std::uint64_t graph, const Context& owner) : graph_id(graph), context(owner) {}
  ~Conditional();
  Conditional(const Conditional&) = delete;
  Conditional& operator=(const Conditional&) = delete;

  CUgraphConditionalHandle handle = 0;
  const std::uint64_t graph_id;  // of the graph that it was made for
  const Context& context;
  bool assigns_default = false;  // at the beginning of each run
  unsigned default_value = 0;
  bool has_node = false;
  std::atomic<unsigned> value{0};
};

std::shared_ptr<Conditional> MakeConditional(std::uint64_t graph_id, const Context& context);

// Null for a handle that is not alive.
std::shared_ptr<Conditional> FindConditional(CUgraphConditionalHandle handle);

}  // namespace hostcuda
