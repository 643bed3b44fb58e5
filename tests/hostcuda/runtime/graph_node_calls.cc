// Nodes of each kind: added to a graph, read, changed.
#include "tests/hostcuda/runtime/copy_parameters.h"
#include "tests/hostcuda/runtime/node_parameters.h"
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Call;
using hostcuda::DriverTable;
using hostcuda::Keep;

// The attribute values of the runtime and of the driver have one layout and equal numbers.
static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUlaunchAttributeValue));
static_assert(sizeof(cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS));

extern "C" cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* dependencies, size_t count,
                                              const cudaKernelNodeParams* parameters) {
  CUDA_KERNEL_NODE_PARAMS driver_parameters;
  const cudaError_t error = hostcuda::ToDriver(*parameters, &driver_parameters);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuGraphAddKernelNode_v12000, node, graph, dependencies, count,
              &driver_parameters);
}

extern "C" cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                    cudaKernelNodeParams* parameters) {
  CUDA_KERNEL_NODE_PARAMS driver_parameters{};
  const cudaError_t error =
      Call(&DriverTable::cuGraphKernelNodeGetParams_v12000, node, &driver_parameters);
  if (error == cudaSuccess) *parameters = hostcuda::FromDriver(driver_parameters);
  return error;
}

extern "C" cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* parameters) {
  CUDA_KERNEL_NODE_PARAMS driver_parameters;
  const cudaError_t error = hostcuda::ToDriver(*parameters, &driver_parameters);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuGraphKernelNodeSetParams_v12000, node, &driver_parameters);
}

extern "C" cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t destination,
                                                         cudaGraphNode_t source) {
  return Call(&DriverTable::cuGraphKernelNodeCopyAttributes_v11000, destination, source);
}

extern "C" cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                                       cudaLaunchAttributeID id,
                                                       cudaLaunchAttributeValue* value) {
  return Call(&DriverTable::cuGraphKernelNodeGetAttribute_v11000, node,
              static_cast<CUkernelNodeAttrID>(id), reinterpret_cast<CUkernelNodeAttrValue*>(value));
}

extern "C" cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                                       cudaLaunchAttributeID id,
                                                       const cudaLaunchAttributeValue* value) {
  return Call(&DriverTable::cuGraphKernelNodeSetAttribute_v11000, node,
              static_cast<CUkernelNodeAttrID>(id),
              reinterpret_cast<const CUkernelNodeAttrValue*>(value));
}

extern "C" cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* dependencies, size_t count,
                                              const cudaMemcpy3DParms* parameters) {
  CUDA_MEMCPY3D copy;
  CUcontext context = nullptr;
  cudaError_t error = hostcuda::ToDriver(*parameters, &copy);
  if (error == cudaSuccess) error = hostcuda::NodeContext(&context);
  if (error != cudaSuccess) return Keep(error);
  return Call(&DriverTable::cuGraphAddMemcpyNode_v10000, node, graph, dependencies, count, &copy,
              context);
}

extern "C" cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* dependencies, size_t count,
                                                void* destination, const void* source, size_t bytes,
                                                cudaMemcpyKind kind) {
  const cudaMemcpy3DParms copy = hostcuda::LinearCopy(destination, source, bytes, kind);
  return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &copy);
}

extern "C" cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                    cudaMemcpy3DParms* parameters) {
  CUDA_MEMCPY3D copy{};
  const cudaError_t error = Call(&DriverTable::cuGraphMemcpyNodeGetParams_v10000, node, &copy);
  if (error == cudaSuccess) *parameters = hostcuda::FromDriver(copy);
  return error;
}

extern "C" cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                    const cudaMemcpy3DParms* parameters) {
  CUDA_MEMCPY3D copy;
  const cudaError_t error = hostcuda::ToDriver(*parameters, &copy);
  if (error != cudaSuccess) return Keep(error);
  const CUDA_MEMCPY3D* fixed = &copy;
  return Call(&DriverTable::cuGraphMemcpyNodeSetParams_v10000, node, fixed);
}

extern "C" cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* destination,
                                                      const void* source, size_t bytes,
                                                      cudaMemcpyKind kind) {
  const cudaMemcpy3DParms copy = hostcuda::LinearCopy(destination, source, bytes, kind);
  return cudaGraphMemcpyNodeSetParams(node, &copy);
}

extern "C" cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* dependencies, size_t count,
                                              const cudaMemsetParams* parameters) {
  CUcontext context = nullptr;
  const cudaError_t error = hostcuda::NodeContext(&context);
  if (error != cudaSuccess) return Keep(error);
  const CUDA_MEMSET_NODE_PARAMS driver_parameters = hostcuda::ToDriver(*parameters);
  return Call(&DriverTable::cuGraphAddMemsetNode_v10000, node, graph, dependencies, count,
              &driver_parameters, context);
}

extern "C" cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                    cudaMemsetParams* parameters) {
  CUDA_MEMSET_NODE_PARAMS driver_parameters{};
  const cudaError_t error =
      Call(&DriverTable::cuGraphMemsetNodeGetParams_v10000, node, &driver_parameters);
  if (error == cudaSuccess) *parameters = hostcuda::FromDriver(driver_parameters);
  return error;
}

extern "C" cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                    const cudaMemsetParams* parameters) {
  const CUDA_MEMSET_NODE_PARAMS driver_parameters = hostcuda::ToDriver(*parameters);
  return Call(&DriverTable::cuGraphMemsetNodeSetParams_v10000, node, &driver_parameters);
}

extern "C" cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* dependencies, size_t count,
                                            const cudaHostNodeParams* parameters) {
  return Call(&DriverTable::cuGraphAddHostNode_v10000, node, graph, dependencies, count,
              reinterpret_cast<const CUDA_HOST_NODE_PARAMS*>(parameters));
}

extern "C" cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                                  cudaHostNodeParams* parameters) {
  return Call(&DriverTable::cuGraphHostNodeGetParams_v10000, node,
              reinterpret_cast<CUDA_HOST_NODE_PARAMS*>(parameters));
}

extern "C" cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                  const cudaHostNodeParams* parameters) {
  return Call(&DriverTable::cuGraphHostNodeSetParams_v10000, node,
              reinterpret_cast<const CUDA_HOST_NODE_PARAMS*>(parameters));
}

extern "C" cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* dependencies, size_t count,
                                                  cudaGraph_t child) {
  return Call(&DriverTable::cuGraphAddChildGraphNode_v10000, node, graph, dependencies, count,
              child);
}

extern "C" cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return Call(&DriverTable::cuGraphChildGraphNodeGetGraph_v10000, node, graph);
}

extern "C" cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count) {
  return Call(&DriverTable::cuGraphAddEmptyNode_v10000, node, graph, dependencies, count);
}

extern "C" cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* dependencies,
                                                   size_t count, cudaEvent_t event) {
  return Call(&DriverTable::cuGraphAddEventRecordNode_v11010, node, graph, dependencies, count,
              event);
}

extern "C" cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return Call(&DriverTable::cuGraphEventRecordNodeGetEvent_v11010, node, event);
}

extern "C" cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return Call(&DriverTable::cuGraphEventRecordNodeSetEvent_v11010, node, event);
}

extern "C" cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 const cudaGraphNode_t* dependencies, size_t count,
                                                 cudaEvent_t event) {
  return Call(&DriverTable::cuGraphAddEventWaitNode_v11010, node, graph, dependencies, count,
              event);
}

extern "C" cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return Call(&DriverTable::cuGraphEventWaitNodeGetEvent_v11010, node, event);
}

extern "C" cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return Call(&DriverTable::cuGraphEventWaitNodeSetEvent_v11010, node, event);
}
