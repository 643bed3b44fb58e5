// Work: one stream-ordered operation, the same thing whether a stream runs it at once or a graph
// node keeps it. Owner: whoever holds the value (a stream's queue or a graph node); it owns its
// copies of the arguments. Threads: a value, no sharing. Failure: Run() returns the error that the
// context keeps. Units: bytes.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "tests/hostcuda/driver/completion.h"
#include "tests/hostcuda/driver/memory_operations.h"

namespace hostcuda {

struct Context;
struct Event;
struct Function;
struct Stream;
class GraphAllocation;
struct Conditional;

struct KernelWork {
  std::shared_ptr<Function> function;
  Context* context = nullptr;
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments;  // packed by the function's parameter layout
  bool by_extra = false;             // given as CU_LAUNCH_PARAM_BUFFER_*: kernelParams is null then
  std::map<CUkernelNodeAttrID, CUkernelNodeAttrValue> attributes;
};

struct CopyWork {
  CUDA_MEMCPY3D copy{};
  Context* context = nullptr;
};

struct FillWork {
  CUDA_MEMSET_NODE_PARAMS fill{};
  Context* context = nullptr;
};

struct HostWork {
  CUhostFn function = nullptr;
  void* data = nullptr;
};

struct RecordWork {
  Event* event = nullptr;
  CompletionPtr record;  // from Event::BeginRecord(); null: Run() begins one itself
};

struct WaitWork {
  Event* event = nullptr;
  CompletionPtr record;  // null: the latest record at the time of Run()
};

struct MemoryOperationsWork {
  MemoryOperations operations;
  Context* context = nullptr;
};

// Memory of a graph. What is allocated is known from the order of the launches, so nothing is left
// to do when the node's turn comes.
struct AllocateWork {
  std::shared_ptr<GraphAllocation> allocation;
};

struct FreeWork {
  std::shared_ptr<GraphAllocation> allocation;
};

// Runs one of the graphs that its node holds, which the launch does.
struct ConditionalWork {
  std::shared_ptr<Conditional> conditional;
  CUgraphConditionalNodeType type = CU_GRAPH_COND_TYPE_IF;
};

struct EmptyWork {};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork,
                          MemoryOperationsWork, AllocateWork, FreeWork, ConditionalWork>;

inline bool IsMemoryWork(const Work& work) {
  return std::holds_alternative<AllocateWork>(work) || std::holds_alternative<FreeWork>(work);
}

// Runs the operation on the calling thread (a stream's worker) and returns its result. An error of
// a kernel or copy is sticky: the caller stores it in the context (a stream does so by itself).
// RecordWork completes the record, WaitWork blocks until it is complete; a destroyed event is
// passed by.
CUresult Run(const Work& work);

}  // namespace hostcuda
