// GraphAllocation: the memory of one allocation node. Its address is fixed for its life; from a
// launch until it is freed it counts as allocated, in the order of the calls. Owner: shared by
// nodes, executables and launches, and by the table of what is allocated. Threads: any. Failure:
// CUresult. Units: bytes.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tests/hostcuda/driver/memory.h"

namespace hostcuda {

class GraphAllocation {
 public:
  // INVALID_VALUE for what no allocation node can have, OUT_OF_MEMORY.
  static CUresult Make(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params,
                       std::shared_ptr<GraphAllocation>* made);
  ~GraphAllocation();
  GraphAllocation(const GraphAllocation&) = delete;
  GraphAllocation& operator=(const GraphAllocation&) = delete;

  CUdeviceptr address() const { return params_.dptr; }
  std::size_t bytes() const { return params_.bytesize; }
  int device() const { return params_.poolProps.location.id; }
  // With the address; access descriptors point into this object.
  const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params() const { return params_; }

  // Which graphs have free nodes for it; under GraphLock.
  std::uint64_t owner = 0;  // id of the graph that has its allocation node
  bool freed_by_owner = false;
  bool freed_by_others = false;

 private:
  friend class GraphMemory;
  GraphAllocation(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params, CUdeviceptr address);

  CUDA_MEM_ALLOC_NODE_PARAMS_v2 params_;
  std::vector<CUmemAccessDesc> access_;
  bool backed_ = false;  // it has device memory: since its first launch, or since the last trim
};

using GraphAllocations = std::vector<std::shared_ptr<GraphAllocation>>;

// The allocation that the address is in, if the driver would tell of it: memory of a node is
// unknown to it but from a launch that allocates it to its free.
std::optional<Allocation> FindKnown(CUdeviceptr address);

// The live allocation that starts at the address, or null.
std::shared_ptr<GraphAllocation> FindGraphAllocation(CUdeviceptr address);

// One launch: what it allocates and what it frees. INVALID_VALUE, and nothing is changed, if
// something of `allocated` still is (unless it may be freed first), or something else that it frees
// is not.
CUresult LaunchGraphMemory(const GraphAllocations& allocated, const GraphAllocations& freed,
                           bool free_first);

// Takes it out of the allocated. INVALID_VALUE if it is not among them; null never is.
CUresult FreeGraphMemory(const std::shared_ptr<GraphAllocation>& allocation);

// Device memory that graphs hold.
std::size_t ReservedForGraphs(int device);

}  // namespace hostcuda
