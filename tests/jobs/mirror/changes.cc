#include "tests/jobs/mirror/changes.h"

#include "tests/jobs/mirror/arguments.h"
#include "tests/jobs/mirror/driver.h"
#include "tests/jobs/mirror/graphs.h"

namespace mirror {
namespace {

void SetByDriver(Target target, CUgraphNodeParams parameters) {
  CHECK_DRIVER(cuGraphExecNodeSetParams(target.executable, target.node, &parameters));
}

CUgraphNodeParams GenericKernel(KernelArguments& arguments) {
  const CUDA_KERNEL_NODE_PARAMS_v2 kernel = arguments.DriverV2();
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
  parameters.kernel.func = kernel.func;
  parameters.kernel.gridDimX = kernel.gridDimX;
  parameters.kernel.gridDimY = kernel.gridDimY;
  parameters.kernel.gridDimZ = kernel.gridDimZ;
  parameters.kernel.blockDimX = kernel.blockDimX;
  parameters.kernel.blockDimY = kernel.blockDimY;
  parameters.kernel.blockDimZ = kernel.blockDimZ;
  parameters.kernel.kernelParams = kernel.kernelParams;
  return parameters;
}

CUgraphNodeParams GenericFill(const Node& node) {
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_MEMSET;
  parameters.memset.dst = reinterpret_cast<CUdeviceptr>(node.target->device);
  parameters.memset.value = node.add;
  parameters.memset.elementSize = sizeof(unsigned);
  parameters.memset.width = node.words;
  parameters.memset.height = 1;
  parameters.memset.ctx = CurrentContext();
  return parameters;
}

CUgraphNodeParams GenericCopy(const Node& node) {
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  parameters.memcpy.copyCtx = CurrentContext();
  parameters.memcpy.copyParams = DriverCopyArguments(node);
  return parameters;
}

CUgraphNodeParams GenericHost(const Node& node) {
  const cudaHostNodeParams host = HostArguments(node);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_HOST;
  parameters.host.fn = host.fn;
  parameters.host.userData = host.userData;
  return parameters;
}

CUgraphNodeParams GenericEvent(const Node& node) {
  CUgraphNodeParams parameters{};
  if (node.kind == Kind::kRecord) {
    parameters.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    parameters.eventRecord.event = node.marker->event;
  } else {
    parameters.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    parameters.eventWait.event = node.marker->event;
  }
  return parameters;
}

}  // namespace

void SetKernel(Target target, const Node& node) {
  KernelArguments arguments(node);
  const cudaKernelNodeParams parameters = arguments.Runtime();
  CHECK(cudaGraphExecKernelNodeSetParams(target.executable, target.node, &parameters));
}

void SetKernelV1(Target target, const Node& node) {
  using Call = CUresult(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1*);
  static Call* const call = OldSpelling<Call>("cuGraphExecKernelNodeSetParams", 11000);
  KernelArguments arguments(node);
  const CUDA_KERNEL_NODE_PARAMS_v1 parameters = arguments.DriverV1();
  CHECK_DRIVER(call(target.executable, target.node, &parameters));
}

void SetKernelV2(Target target, const Node& node) {
  KernelArguments arguments(node);
  const CUDA_KERNEL_NODE_PARAMS_v2 parameters = arguments.DriverV2();
  CHECK_DRIVER(cuGraphExecKernelNodeSetParams(target.executable, target.node, &parameters));
}

void SetKernelPacked(Target target, const Node& node) {
  KernelArguments arguments(node);
  const CUDA_KERNEL_NODE_PARAMS_v2 parameters = arguments.DriverPacked();
  CHECK_DRIVER(cuGraphExecKernelNodeSetParams(target.executable, target.node, &parameters));
}

void SetFill(Target target, const Node& node) {
  const cudaMemsetParams parameters = FillArguments(node);
  CHECK(cudaGraphExecMemsetNodeSetParams(target.executable, target.node, &parameters));
}

void SetCopy(Target target, const Node& node) {
  const cudaMemcpy3DParms parameters = CopyArguments(node);
  CHECK(cudaGraphExecMemcpyNodeSetParams(target.executable, target.node, &parameters));
}

void SetCopy1D(Target target, const Node& node) {
  CHECK(cudaGraphExecMemcpyNodeSetParams1D(target.executable, target.node, node.target->device,
                                           node.source->device, node.words * sizeof(unsigned),
                                           cudaMemcpyDeviceToDevice));
}

void SetCopyDriver(Target target, const Node& node) {
  const CUDA_MEMCPY3D parameters = DriverCopyArguments(node);
  CHECK_DRIVER(cuGraphExecMemcpyNodeSetParams(target.executable, target.node, &parameters,
                                              CurrentContext()));
}

void SetHost(Target target, const Node& node) {
  const cudaHostNodeParams parameters = HostArguments(node);
  CHECK(cudaGraphExecHostNodeSetParams(target.executable, target.node, &parameters));
}

void SetRecord(Target target, const Node& node) {
  CHECK(cudaGraphExecEventRecordNodeSetEvent(target.executable, target.node, node.marker->event));
}

void SetWait(Target target, const Node& node) {
  CHECK(cudaGraphExecEventWaitNodeSetEvent(target.executable, target.node, node.marker->event));
}

void SetEnabled(Target target, const Node& node) {
  CHECK(cudaGraphNodeSetEnabled(target.executable, target.node, node.enabled ? 1 : 0));
}

void SetGeneric(Target target, const Node& node) {
  switch (node.kind) {
    case Kind::kKernel: {
      KernelArguments arguments(node);
      return SetByDriver(target, GenericKernel(arguments));
    }
    case Kind::kFill:
      return SetByDriver(target, GenericFill(node));
    case Kind::kCopy:
      return SetByDriver(target, GenericCopy(node));
    case Kind::kHost:
      return SetByDriver(target, GenericHost(node));
    case Kind::kRecord:
    case Kind::kWait:
      return SetByDriver(target, GenericEvent(node));
    case Kind::kChild:
      return SetChildGeneric(target, node);
    case Kind::kAllocate:
    case Kind::kFree:
    case Kind::kIf:
    case Kind::kWhile:
    case Kind::kSwitch:
      return;  // what such a node does cannot be set
  }
}

void SetChild(Target target, const Node& node) {
  const Graph inner = MakeByHand(node.inner);
  CHECK(cudaGraphExecChildGraphNodeSetParams(target.executable, target.node, inner.handle()));
}

void SetChildGeneric(Target target, const Node& node) {
  const Graph inner = MakeByHand(node.inner);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
  parameters.graph.graph = inner.handle();
  SetByDriver(target, parameters);
}

}  // namespace mirror
