#include "tests/jobs/mirror/graphs.h"

#include "tests/jobs/mirror/arguments.h"
#include "tests/jobs/mirror/driver.h"

namespace mirror {
namespace {

cudaGraphNode_t AddAllocation(cudaGraph_t graph, Buffer& buffer,
                              const std::vector<cudaGraphNode_t>& after) {
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
  parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  parameters.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  parameters.bytesize = sizeof(Words);
  cudaGraphNode_t added = nullptr;
  CHECK_DRIVER(cuGraphAddMemAllocNode(&added, graph, after.data(), after.size(), &parameters));
  buffer.device = reinterpret_cast<unsigned*>(parameters.dptr);
  return added;
}

cudaGraphNode_t AddNode(cudaGraph_t graph, const Node& node,
                        const std::vector<cudaGraphNode_t>& after) {
  cudaGraphNode_t added = nullptr;
  switch (node.kind) {
    case Kind::kKernel: {
      KernelArguments arguments(node);
      const cudaKernelNodeParams kernel = arguments.Runtime();
      CHECK(cudaGraphAddKernelNode(&added, graph, after.data(), after.size(), &kernel));
      break;
    }
    case Kind::kFill: {
      const cudaMemsetParams fill = FillArguments(node);
      CHECK(cudaGraphAddMemsetNode(&added, graph, after.data(), after.size(), &fill));
      break;
    }
    case Kind::kCopy: {
      const cudaMemcpy3DParms copy = CopyArguments(node);
      CHECK(cudaGraphAddMemcpyNode(&added, graph, after.data(), after.size(), &copy));
      break;
    }
    case Kind::kHost: {
      const cudaHostNodeParams host = HostArguments(node);
      CHECK(cudaGraphAddHostNode(&added, graph, after.data(), after.size(), &host));
      break;
    }
    case Kind::kRecord:
      CHECK(cudaGraphAddEventRecordNode(&added, graph, after.data(), after.size(),
                                        node.marker->event));
      break;
    case Kind::kWait:
      CHECK(
          cudaGraphAddEventWaitNode(&added, graph, after.data(), after.size(), node.marker->event));
      break;
    case Kind::kChild: {
      const Graph inner = MakeByHand(node.inner);
      CHECK(cudaGraphAddChildGraphNode(&added, graph, after.data(), after.size(), inner.handle()));
      break;
    }
    case Kind::kAllocate:
      added = AddAllocation(graph, *node.target, after);
      break;
    case Kind::kFree:
      CHECK_DRIVER(cuGraphAddMemFreeNode(&added, graph, after.data(), after.size(),
                                         reinterpret_cast<CUdeviceptr>(node.target->device)));
      break;
    case Kind::kIf:
    case Kind::kWhile:
    case Kind::kSwitch:
      break;  // AddConditional()
  }
  return added;
}

CUgraphConditionalNodeType TypeOf(Kind kind) {
  return kind == Kind::kIf      ? CU_GRAPH_COND_TYPE_IF
         : kind == Kind::kWhile ? CU_GRAPH_COND_TYPE_WHILE
                                : CU_GRAPH_COND_TYPE_SWITCH;
}

std::vector<cudaGraphNode_t> AddAll(cudaGraph_t graph, const Nodes& nodes, Graph::Bodies* bodies);

// `*first`: the nodes of the first body.
cudaGraphNode_t AddConditional(cudaGraph_t graph, const Node& node,
                               const std::vector<cudaGraphNode_t>& after,
                               std::vector<cudaGraphNode_t>* first) {
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = node.condition->handle;
  parameters.conditional.type = TypeOf(node.kind);
  parameters.conditional.size = static_cast<unsigned>(node.bodies.size());
  parameters.conditional.ctx = CurrentContext();
  cudaGraphNode_t added = nullptr;
  CHECK_DRIVER(cuGraphAddNode(&added, graph, after.data(), nullptr, after.size(), &parameters));
  for (std::size_t i = 0; i < node.bodies.size(); ++i) {
    auto inside = AddAll(parameters.conditional.phGraph_out[i], node.bodies[i], nullptr);
    if (i == 0) *first = std::move(inside);
  }
  return added;
}

std::vector<cudaGraphNode_t> AddAll(cudaGraph_t graph, const Nodes& nodes, Graph::Bodies* bodies) {
  std::vector<cudaGraphNode_t> added;
  for (const Node& node : nodes) {
    std::vector<cudaGraphNode_t> after;
    for (const unsigned position : node.after) after.push_back(added[position]);
    if (node.bodies.empty()) {
      added.push_back(AddNode(graph, node, after));
      continue;
    }
    std::vector<cudaGraphNode_t> first;
    added.push_back(AddConditional(graph, node, after, &first));
    if (bodies != nullptr) (*bodies)[static_cast<unsigned>(added.size() - 1)] = std::move(first);
  }
  return added;
}

// Conditions belong to the outermost graph, and are made before the nodes that name them.
void MakeConditions(cudaGraph_t graph, const Nodes& nodes) {
  for (const Node& node : nodes) {
    if (!node.bodies.empty()) {
      CHECK_DRIVER(cuGraphConditionalHandleCreate(&node.condition->handle, graph, CurrentContext(),
                                                  node.condition->first,
                                                  CU_GRAPH_COND_ASSIGN_DEFAULT));
    }
    for (const Nodes& body : node.bodies) MakeConditions(graph, body);
  }
}

void Launch(const Node& node, cudaStream_t stream) {
  if (node.kind == Kind::kKernel) {
    KernelArguments arguments(node);
    const cudaKernelNodeParams kernel = arguments.Runtime();
    CHECK(cudaLaunchKernel(kernel.func, kernel.gridDim, kernel.blockDim, kernel.kernelParams, 0,
                           stream));
  } else if (node.kind == Kind::kFill) {
    CHECK_DRIVER(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(node.target->device), node.add,
                                  node.words, stream));
  } else if (node.kind == Kind::kCopy) {
    CHECK(cudaMemcpyAsync(node.target->device, node.source->device, node.words * sizeof(unsigned),
                          cudaMemcpyDeviceToDevice, stream));
  } else {
    jobs::Expect(node.kind == Kind::kHost, "a node that a capture makes",
                 static_cast<int>(node.kind));
    const cudaHostNodeParams host = HostArguments(node);
    CHECK(cudaLaunchHostFunc(stream, host.fn, host.userData));
  }
}

std::vector<cudaGraphNode_t> NodesOf(cudaGraph_t graph) {
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

}  // namespace

Graph::~Graph() { CHECK(cudaGraphDestroy(handle_)); }

// The order of the nodes inside a child graph is the driver's: the chain is followed instead.
cudaGraphNode_t Graph::InnerNodeAt(unsigned position, unsigned inner) const {
  cudaGraph_t child = nullptr;
  std::size_t one = 1;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphChildGraphNodeGetGraph(nodes_[position], &child));
  CHECK(cudaGraphGetRootNodes(child, &node, &one));
  for (unsigned i = 0; i < inner; ++i) {
    cudaGraphNode_t next = nullptr;
    CHECK_DRIVER(cuGraphNodeGetDependentNodes(node, &next, nullptr, &one));
    node = next;
  }
  return node;
}

Graph MakeByHand(const Nodes& nodes) {
  cudaGraph_t graph = nullptr;
  Graph::Bodies bodies;
  CHECK(cudaGraphCreate(&graph, 0));
  MakeConditions(graph, nodes);
  auto added = AddAll(graph, nodes, &bodies);
  return Graph(graph, std::move(added), std::move(bodies));
}

Graph Capture(const Nodes& nodes, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (const Node& node : nodes) Launch(node, stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  return Graph(graph, NodesOf(graph));
}

}  // namespace mirror
