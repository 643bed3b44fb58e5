// Node parameters in the driver's structs, to Work and back. Owner: values; what a kernel's getter
// points to belongs to the node until its parameters change. Threads: MakeWork any, without
// GraphLock; the getters under it. Failure: CUresult: INVALID_VALUE for parameters that no node can
// have, INVALID_HANDLE or INVALID_CONTEXT for stale handles. Units: bytes, elements.
#pragma once

#include <cuda.h>

#include <memory>

#include "tests/hostcuda/driver/graph_memory.h"
#include "tests/hostcuda/graph/graph.h"

namespace hostcuda {

using SharedWork = std::shared_ptr<const Work>;

// A context of null stands for the current one.
CUresult MakeWork(const CUDA_KERNEL_NODE_PARAMS_v2& params, SharedWork* work);
CUresult MakeWork(const CUDA_MEMCPY3D& params, CUcontext context, SharedWork* work);
CUresult MakeWork(const CUDA_MEMSET_NODE_PARAMS_v1& params, CUcontext context, SharedWork* work);
CUresult MakeWork(const CUDA_HOST_NODE_PARAMS_v1& params, SharedWork* work);
CUresult MakeRecordWork(CUevent event, SharedWork* work);
CUresult MakeWaitWork(CUevent event, SharedWork* work);
CUresult MakeOperationsWork(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& params, SharedWork* work);
CUresult MakeAllocateWork(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params, SharedWork* work);
// An allocation of a capture: pinned memory of the device.
CUresult MakeAllocateWork(std::size_t bytes, int device, SharedWork* work);
// INVALID_VALUE for an address that no allocation node has.
CUresult MakeFreeWork(CUdeviceptr address, SharedWork* work);
// For the kinds above and the empty node; a child graph is no work. NOT_SUPPORTED for other kinds.
CUresult MakeWork(const CUgraphNodeParams& params, SharedWork* work);

// The older form without `kern` and `ctx`, which are null then.
CUDA_KERNEL_NODE_PARAMS_v2 Widen(const CUDA_KERNEL_NODE_PARAMS_v1& params);

CUgraphNodeType NodeTypeOf(const Work& work);
// Whether the generic calls may change the parameters of such a node.
bool HasSettableParams(CUgraphNodeType type);

// `next`, a kernel, with the attributes of `current`: setting parameters leaves them as they are.
SharedWork WithAttributesOf(const Work& current, const SharedWork& next);

CUDA_KERNEL_NODE_PARAMS_v2 KernelParams(Node& node);
const CUDA_MEMCPY3D& CopyParams(const Node& node);
const CUDA_MEMSET_NODE_PARAMS_v1& FillParams(const Node& node);
CUDA_HOST_NODE_PARAMS_v1 HostParams(const Node& node);
const GraphAllocation& AllocationOf(const Work& work);  // of an allocation or a free
CUevent EventOf(const Node& node);                      // of a record or a wait

}  // namespace hostcuda
