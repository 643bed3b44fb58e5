#include "tests/jobs/mirror/graphs.h"

#include "tests/jobs/mirror/arguments.h"
#include "tests/jobs/mirror/driver.h"

namespace mirror {
namespace {

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
  }
  return added;
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
  std::vector<cudaGraphNode_t> added;
  CHECK(cudaGraphCreate(&graph, 0));
  for (const Node& node : nodes) {
    std::vector<cudaGraphNode_t> after;
    for (const unsigned position : node.after) after.push_back(added[position]);
    added.push_back(AddNode(graph, node, after));
  }
  return Graph(graph, std::move(added));
}

Graph Capture(const Nodes& nodes, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (const Node& node : nodes) Launch(node, stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  return Graph(graph, NodesOf(graph));
}

}  // namespace mirror
