// Cases: what is changed between the launches, one way after another. Owner: static. Threads: one.
// Failure: ends the job.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "tests/jobs/mirror/subject.h"

namespace mirror {

// What the graphs of a case work on, and what the changes need beside them.
struct Setting {
  Setting();
  ~Setting();
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  // Buffers of the graph, in the order in which they are written; `external` by a kernel outside.
  Buffer state, mixed, spare, filled, copied, inner, nested, external, result;
  std::vector<Buffer*> All();
  Buffer inside[2];  // that a graph allocates and frees itself

  Condition conditions[2];
  Truth* truth = nullptr;

  Counter counters[2];
  Marker markers[4];                      // recorded by the graph: 0 and 1; outside: 2 and 3
  cudaStream_t side = nullptr;            // for captures, and for the work that graphs wait for
  cudaStream_t last = nullptr;            // where the latest launch was
  cudaEvent_t launched = nullptr;         // behind it, where a case records it
  std::atomic<unsigned> gate_opened = 0;  // the side's work waits for it
  unsigned gate_closed = 0;
};

enum class Shape {
  kFull,      // by hand: every kind of node, a child graph among them
  kCaptured,  // a captured chain
  kFork,      // by hand: two branches that join
  kBranches,  // by hand: a child graph of two kernels that do not depend on each other
  // Not to be cloned; by hand.
  kAllocating,  // a chain that allocates and frees, twice
  kChoosing,    // an IF with an else and a SWITCH, by what the state holds
  kTaken,       // an IF that is always taken
  kLooping,     // a WHILE of three rounds, with an IF inside
  kMixed,       // an IF that works in memory that the graph allocates
};

struct Case {
  const char* name;
  Shape shape;
  unsigned executables;  // of one graph
  unsigned every;        // launches between two changes
  const char*
      may_lose;  // which replays may go unobserved: a cause of proto/lists/losses.inc, or ""
  // The `round`th change, from 1; what it changes in the model, it changes in the executable.
  void (*change)(Subject& subject, Setting& setting, unsigned round);
};

std::span<const Case> AllCases();
// Whether graphs of this shape can be cloned.
bool IsClonable(Shape shape);

// Positions of nodes in the full shape. The captured one ends with host and join, that with
// branches with child and join; in the others each has its own.
inline constexpr unsigned kAdvance = 0, kCombine = 1, kFill = 2, kCopy = 3, kChild = 4, kHost = 5,
                          kRecord = 6, kWait = 7, kJoin = 8, kCapturedHost = 4, kBranchesChild = 3,
                          kAllocatingKernel = 2, kAllocatingBlend = 8, kAllocatingJoin = 10,
                          kFirstIf = 2, kTakenIf = 1;

Nodes NodesOf(Shape shape, Setting& setting);

}  // namespace mirror
