// Nodes that allocate and free memory.
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Address;
using hostcuda::Call;
using hostcuda::DriverTable;

// The parameters of the runtime and of the driver have one layout.
static_assert(sizeof(cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS));
static_assert(sizeof(cudaMemPoolProps) == sizeof(CUmemPoolProps));

extern "C" cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* dependencies, size_t count,
                                                cudaMemAllocNodeParams* parameters) {
  return Call(&DriverTable::cuGraphAddMemAllocNode_v11040, node, graph, dependencies, count,
              reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS*>(parameters));
}

extern "C" cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemAllocNodeParams* parameters) {
  return Call(&DriverTable::cuGraphMemAllocNodeGetParams_v11040, node,
              reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS*>(parameters));
}

extern "C" cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                               const cudaGraphNode_t* dependencies, size_t count,
                                               void* pointer) {
  return Call(&DriverTable::cuGraphAddMemFreeNode_v11040, node, graph, dependencies, count,
              Address(pointer));
}

extern "C" cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return Call(&DriverTable::cuGraphMemFreeNodeGetParams_v11040, node,
              static_cast<CUdeviceptr*>(pointer));
}
