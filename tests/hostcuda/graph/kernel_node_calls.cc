// Kernel nodes: parameters in their two forms, and attributes.
#include <algorithm>
#include <array>
#include <utility>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/node_calls.h"

namespace hostcuda {
namespace {

constexpr std::array kNodeAttributes = {
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING,
};

bool IsNodeAttribute(CUkernelNodeAttrID id) {
  return std::find(kNodeAttributes.begin(), kNodeAttributes.end(), id) != kNodeAttributes.end();
}

void SetKernel(Node& node, KernelWork kernel) {
  node.SetWork(std::make_shared<const Work>(std::move(kernel)));
}

}  // namespace
}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuGraphAddKernelNode_v2(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS_v2* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult result = MakeWork(*params, &work);
  if (result != CUDA_SUCCESS) return result;
  return AddWorkNode(added, graph, {dependencies, nullptr, count}, work);
}

CUresult cuGraphAddKernelNode(CUgraphNode* added, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS_v2 wide = Widen(*params);
  return calls::cuGraphAddKernelNode_v2(added, graph, dependencies, count, &wide);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v2* params) {
  GraphLock lock;
  Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_KERNEL);
  if (params == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = KernelParams(*node);
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS_v2 wide;
  CUresult result = calls::cuGraphKernelNodeGetParams_v2(handle, &wide);
  if (result != CUDA_SUCCESS) return result;
  *params = {wide.func,      wide.gridDimX,  wide.gridDimY,       wide.gridDimZ,     wide.blockDimX,
             wide.blockDimY, wide.blockDimZ, wide.sharedMemBytes, wide.kernelParams, wide.extra};
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  SharedWork work;
  CUresult result = MakeWork(*params, &work);
  return result == CUDA_SUCCESS ? SetNodeWork(node, work) : result;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS_v2 wide = Widen(*params);
  return calls::cuGraphKernelNodeSetParams_v2(node, &wide);
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                                       CUkernelNodeAttrValue* value) {
  GraphLock lock;
  const Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_KERNEL);
  if (value == nullptr || node == nullptr || !IsNodeAttribute(id)) return CUDA_ERROR_INVALID_VALUE;
  const auto& attributes = std::get<KernelWork>(*node->work).attributes;
  auto found = attributes.find(id);
  *value = found == attributes.end() ? CUkernelNodeAttrValue{} : found->second;
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue* value) {
  GraphLock lock;
  Node* node = FindOfType(handle, CU_GRAPH_NODE_TYPE_KERNEL);
  if (value == nullptr || node == nullptr || !IsNodeAttribute(id)) return CUDA_ERROR_INVALID_VALUE;
  KernelWork kernel = std::get<KernelWork>(*node->work);
  kernel.attributes[id] = *value;
  SetKernel(*node, std::move(kernel));
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  GraphLock lock;
  Node* target = FindOfType(to, CU_GRAPH_NODE_TYPE_KERNEL);
  const Node* source = FindOfType(from, CU_GRAPH_NODE_TYPE_KERNEL);
  if (target == nullptr || source == nullptr) return CUDA_ERROR_INVALID_VALUE;
  KernelWork kernel = std::get<KernelWork>(*target->work);
  kernel.attributes = std::get<KernelWork>(*source->work).attributes;
  SetKernel(*target, std::move(kernel));
  return CUDA_SUCCESS;
}

}  // namespace hostcuda::calls
