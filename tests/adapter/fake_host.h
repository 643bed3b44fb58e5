// Fake host: loads the adapter as the library in a job does, and keeps what it is told of ops;
// of the allocator: allocator_log.h. Owner: the process. Threads: any. Failure: aborts with a line,
// or a failed expectation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interpose/abi/adapter.h"

namespace graphtap::adapter_test {

struct ToldTensor {
  GraphtapTensor told;  // its pointers are gone
  std::vector<std::int64_t> sizes, strides;
};

struct ToldOp {
  std::string name;
  std::uint32_t kind = 0;
  void* stream = nullptr;
  int thread = 0;   // the how manieth
  int parent = -1;  // the op around it, by position; -1: none
  bool ended = false;
  int end_order = -1;  // 0: the first that ended
  std::vector<ToldTensor> tensors;
  std::uint32_t flags = 0;
  std::uint64_t sequence = 0, sequence_thread = 0, parameter = 0;
  std::vector<ToldTensor> gradients;
};

// From GRAPHTAP_ADAPTER, the path of the file; opened once.
const GraphtapAdapter& Adapter();
GraphtapOpenAdapter Entry();
const GraphtapHost& Host();

// Watches while it lives.
class Watch {
 public:
  Watch();
  ~Watch() { Stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void Stop();
  // What was told since the beginning, of all threads, in the order of the begins.
  std::vector<ToldOp> Ops() const;
  // The one with this name; fails if there is not exactly one.
  ToldOp Only(const std::string& name) const;
  // Without those inside leaves and ranges.
  std::vector<std::string> Leaves() const;
};

// Called in each op_begin from now on; empty: nothing.
void SetInside(std::function<void()> inside);

// Ends without a begin, ever.
int StrayEnds();

}  // namespace graphtap::adapter_test
