// The model: what an executable's nodes do, as the job says it, and what they leave, worked out on
// the host. Every change of an executable is made to its model too. Owner: the case that runs.
// Threads: one. Failure: none; the truth file that cannot be written ends the job. Units: words.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/jobs/mirror/kernels.h"

namespace mirror {

inline constexpr unsigned kWords = 33;  // of a buffer: no multiple of 16 bytes, nor of a block
using Words = std::array<unsigned, kWords>;

struct Buffer {
  unsigned* device = nullptr;  // an allocation of its own
  Words words{};               // what it holds once everything launched so far has run
};

// What host nodes count.
struct Counter {
  std::atomic<unsigned> seen = 0;
  unsigned expected = 0;
};

struct Marker {
  cudaEvent_t event = nullptr;
  bool recorded = false;  // once everything launched so far has run
};

// What a conditional node goes by.
struct Condition {
  unsigned first = 0;                   // at the start of each replay
  unsigned value = 0;                   // once everything launched so far has run
  CUgraphConditionalHandle handle = 0;  // in the graph that was made last
};

enum class Kind {
  kKernel,
  kFill,
  kCopy,
  kHost,
  kRecord,
  kWait,
  kChild,
  kAllocate,
  kFree,
  kIf,
  kWhile,
  kSwitch
};

struct Node {
  Kind kind = Kind::kKernel;
  Function function = Function::kAdvance;
  Function name = Function::kAdvance;  // the function when its graph was made
  Buffer* source = nullptr;
  Buffer* second = nullptr;
  Buffer* target = nullptr;
  unsigned words = kWords;
  unsigned blocks = 3;
  unsigned factor = 1;
  unsigned add = 0;  // a fill's value
  Counter* counter = nullptr;
  Marker* marker = nullptr;
  bool enabled = true;
  std::vector<unsigned> after;  // positions of the nodes that it depends on
  std::vector<Node> inner;      // of a child graph: a chain
  Condition* condition = nullptr;
  std::vector<std::vector<Node>> bodies;  // of a conditional node: chains
};

using Nodes = std::vector<Node>;

// One line of JSON an operand and replay: what it holds right behind its node. Without a path
// nothing is written.
class Truth {
 public:
  explicit Truth(const char* path);
  ~Truth();
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;

  void Write(unsigned executable, unsigned replay, const std::string& name, unsigned occurrence,
             const char* operand, const Words& words);
  void WriteReplays(unsigned executable, unsigned replays);

 private:
  std::FILE* file_ = nullptr;
};

// Runs the nodes on the model's buffers as replay `replay` of the executable.
void Simulate(const Nodes& nodes, unsigned executable, unsigned replay, Truth& truth);

}  // namespace mirror
