#include "tests/jobs/mirror/subject.h"

#include "tests/jobs/mirror/driver.h"

namespace mirror {
namespace {

unsigned next_number = 0;

// A graph's nodes are named by the functions that they have when it is handed in.
void Rename(Nodes& nodes) {
  for (Node& node : nodes) {
    node.name = node.function;
    Rename(node.inner);
    for (Nodes& body : node.bodies) Rename(body);
  }
}

}  // namespace

Subject::Subject(Nodes nodes, cudaStream_t capture_stream) : nodes_(std::move(nodes)) {
  // Graphs cannot be moved: the prvalue is made in place.
  own_graph_.reset(capture_stream != nullptr ? new Graph(Capture(nodes_, capture_stream))
                                             : new Graph(MakeByHand(nodes_)));
  graph_ = own_graph_.get();
  Instantiate();
}

Subject::Subject(const Subject& first, Nodes nodes)
    : nodes_(std::move(nodes)), graph_(first.graph_) {
  Instantiate();
}

Subject::~Subject() { CHECK(cudaGraphExecDestroy(executable_)); }

void Subject::Instantiate() {
  CHECK(cudaGraphInstantiate(&executable_, graph_->handle(), 0));
  number_ = next_number++;
  Rename(nodes_);
}

void Subject::Apply(Call* call, unsigned position) {
  call({executable_, graph_->NodeAt(position)}, nodes_[position]);
}

void Subject::ApplyInside(Call* call, unsigned position, unsigned inner) {
  call({executable_, graph_->InnerNodeAt(position, inner)}, nodes_[position].inner[inner]);
}

void Subject::ApplyInBody(Call* call, unsigned position, unsigned inner) {
  call({executable_, graph_->BodyNodeAt(position, inner)}, nodes_[position].bodies[0][inner]);
}

std::size_t Subject::CountNodes() const {
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(graph_->handle(), nullptr, &count));
  return count;
}

void Subject::MakeAgain(Truth& truth) {
  WriteReplays(truth);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(executable_));
  replays_ = 0;
  Instantiate();
}

void Subject::UpdateByCapture(cudaStream_t stream) {
  const Graph incoming = Capture(nodes_, stream);
  cudaGraphExecUpdateResultInfo info{};
  CHECK(cudaGraphExecUpdate(executable_, incoming.handle(), &info));
  Rename(nodes_);
}

void Subject::UpdateByHand() {
  using OldUpdate = CUresult(CUgraphExec, CUgraph, CUgraphNode*, CUgraphExecUpdateResult*);
  static OldUpdate* const call = OldSpelling<OldUpdate>("cuGraphExecUpdate", 11000);
  const Graph incoming = MakeByHand(nodes_);
  CUgraphNode error_node = nullptr;
  CUgraphExecUpdateResult result{};
  CHECK_DRIVER(call(executable_, incoming.handle(), &error_node, &result));
  Rename(nodes_);
}

void Subject::ExpectRefusals(unsigned host) {
  Nodes longer = nodes_;
  longer.push_back(longer.front());
  longer.back().after = {static_cast<unsigned>(nodes_.size() - 1)};
  longer.back().add += 1000;
  longer.front().add += 1000;
  const Graph incoming = MakeByHand(longer);
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t refused = cudaGraphExecUpdate(executable_, incoming.handle(), &info);
  jobs::Expect(refused == cudaErrorGraphExecUpdateFailure, "a refused update", refused);
  const cudaError_t disabled = cudaGraphNodeSetEnabled(executable_, graph_->NodeAt(host), 0);
  jobs::Expect(disabled == cudaErrorInvalidValue, "no disabled host node", disabled);
  const cudaError_t none = cudaGraphExecMemcpyNodeSetParams1D(
      executable_, graph_->NodeAt(0), nodes_[0].target->device, nodes_[1].target->device,
      sizeof(unsigned), cudaMemcpyDeviceToDevice);
  jobs::Expect(none == cudaErrorInvalidValue, "no copy at a kernel's place", none);
  cudaGetLastError();
}

void Subject::Launch(cudaStream_t stream, Truth& truth) {
  CHECK(cudaGraphLaunch(executable_, stream));
  Simulate(nodes_, number_, ++replays_, truth);
}

}  // namespace mirror
