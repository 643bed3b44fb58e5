// Nodes that are added to a graph that cannot be cloned, one with allocation or conditional nodes:
// behind a node and in front of all that depend on it, in every level.
#include <array>
#include <tuple>

#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

constexpr unsigned kBytes = Buffer::kCount * sizeof(int);

// Of a kernel of one block; its arguments are the object's.
template <typename... Arguments>
class KernelParameters {
 public:
  explicit KernelParameters(CUfunction function, Arguments... arguments) : values_(arguments...) {
    parameters_.func = function;
    parameters_.gridDimX = parameters_.gridDimY = parameters_.gridDimZ = 1;
    parameters_.blockDimX = Buffer::kCount;
    parameters_.blockDimY = parameters_.blockDimZ = 1;
    std::size_t i = 0;
    std::apply([&](auto&... value) { ((pointers_[i++] = &value), ...); }, values_);
    parameters_.kernelParams = pointers_.data();
  }
  KernelParameters(const KernelParameters&) = delete;
  KernelParameters& operator=(const KernelParameters&) = delete;
  const CUDA_KERNEL_NODE_PARAMS* get() const { return &parameters_; }

 private:
  std::tuple<Arguments...> values_;
  std::array<void*, sizeof...(Arguments)> pointers_{};
  CUDA_KERNEL_NODE_PARAMS parameters_{};
};

auto Copying(CUdeviceptr from, CUdeviceptr to) {
  return KernelParameters(CopyInts(), from, to, int{Buffer::kCount});
}

CUgraphNode AddNode(CUgraph graph, std::initializer_list<CUgraphNode> after,
                    const CUDA_KERNEL_NODE_PARAMS* parameters) {
  CUgraphNode node = nullptr;
  Must(cuGraphAddKernelNode(&node, graph, data(after), after.size(), parameters));
  return node;
}

CUgraphNode AddCopyKernel(CUgraph graph, std::initializer_list<CUgraphNode> after, CUdeviceptr from,
                          CUdeviceptr to) {
  return AddNode(graph, after, Copying(from, to).get());
}

// Puts `probe`, which depends on `node`, in front of all that depend on it; no edge is removed.
void PutBeside(CUgraph graph, CUgraphNode node, CUgraphNode probe) {
  for (const CUgraphNode dependent : DependentsOf(node)) {
    if (dependent != probe) Connect(graph, probe, dependent);
  }
}

CUgraphNode AddAllocation(CUgraph graph, std::initializer_list<CUgraphNode> after,
                          CUdeviceptr* memory) {
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
  parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  parameters.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  parameters.bytesize = kBytes;
  CUgraphNode node = nullptr;
  Must(cuGraphAddMemAllocNode(&node, graph, data(after), after.size(), &parameters));
  *memory = parameters.dptr;
  return node;
}

CUgraphNode AddFree(CUgraph graph, std::initializer_list<CUgraphNode> after, CUdeviceptr memory) {
  CUgraphNode node = nullptr;
  Must(cuGraphAddMemFreeNode(&node, graph, data(after), after.size(), memory));
  return node;
}

// allocate, fill with 7, add 5 (`middle`), copy to `out`; the free node and a second allocation
// depend on `middle` too.
struct AllocationJob {
  explicit AllocationJob(const Buffer& out, int value = 5) : graph(MakeGraph()) {
    CUdeviceptr second = 0;
    const CUgraphNode allocation = AddAllocation(graph, {}, &memory);
    CUDA_MEMSET_NODE_PARAMS fill = FillParameters(out, 7);
    fill.dst = memory;
    CUgraphNode filled = nullptr;
    Must(cuGraphAddMemsetNode(&filled, graph, &allocation, 1, &fill, CurrentContext()));
    middle = AddNode(graph, {filled},
                     KernelParameters(AddTo(), memory, int{Buffer::kCount}, value).get());
    const CUgraphNode copied = AddCopyKernel(graph, {middle}, memory, out.address());
    AddFree(graph, {middle, copied}, memory);
    const CUgraphNode other = AddAllocation(graph, {middle}, &second);
    AddFree(graph, {other}, second);
  }

  CUgraphNode AddProbe(const Buffer& probed) {
    const CUgraphNode probe = AddCopyKernel(graph, {middle}, memory, probed.address());
    PutBeside(graph, middle, probe);
    return probe;
  }

  Graph graph;
  CUdeviceptr memory = 0;
  CUgraphNode middle = nullptr;
};

class AddedNodeRules : public RuleTest {
 protected:
  Buffer sums_, probed_, other_;
};

TEST_F(AddedNodeRules, AProbeReadsMemoryOfAnAllocationNodeBeforeItIsFreed) {
  AllocationJob job(sums_);
  job.AddProbe(probed_);
  const Exec exec = Instantiate(job.graph);
  for (int i = 0; i < 3; ++i) {
    sums_.Clear();
    probed_.Clear();
    Replay(exec, stream_);
    EXPECT_EQ(probed_.First(), 12);
    EXPECT_EQ(sums_.First(), 12);
  }
}

TEST_F(AddedNodeRules, AProbeOfAnAllocatingGraphIsSetInTheExecutable) {
  AllocationJob job(sums_);
  const CUgraphNode probe = job.AddProbe(probed_);
  const Exec exec = Instantiate(job.graph);
  const auto elsewhere = Copying(job.memory, other_.address());
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, probe, elsewhere.get()), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(probed_.First(), 0);
  EXPECT_EQ(other_.First(), 12);
}

TEST_F(AddedNodeRules, AnAllocatingGraphTakesProbesBetweenTwoExecutables) {
  AllocationJob job(sums_);
  Exec exec = Instantiate(job.graph);
  Exec second;
  EXPECT_EQ(cuGraphInstantiate(second.Out(), job.graph, 0), CUDA_ERROR_NOT_SUPPORTED);
  const CUgraphNode probe = job.AddProbe(probed_);
  Replay(exec, stream_);
  EXPECT_EQ(probed_.First(), 0) << "the executable is as it was made";
  exec.Reset();
  const auto elsewhere = Copying(job.memory, other_.address());
  EXPECT_EQ(cuGraphKernelNodeSetParams(probe, elsewhere.get()), CUDA_SUCCESS);
  Replay(Instantiate(job.graph), stream_);
  EXPECT_EQ(other_.First(), 12);
}

struct Conditional {
  CUgraphConditionalHandle handle = 0;
  CUgraphNode node = nullptr;
  std::vector<CUgraph> bodies;
};

// `owner`: the outermost graph.
Conditional AddConditional(CUgraph graph, CUgraph owner, std::initializer_list<CUgraphNode> after,
                           CUgraphConditionalNodeType type, unsigned size, unsigned value) {
  Conditional made;
  Must(cuGraphConditionalHandleCreate(&made.handle, owner, CurrentContext(), value,
                                      CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = made.handle;
  parameters.conditional.type = type;
  parameters.conditional.size = size;
  parameters.conditional.ctx = CurrentContext();
  Must(cuGraphAddNode(&made.node, graph, data(after), nullptr, after.size(), &parameters));
  const CUgraph* bodies = parameters.conditional.phGraph_out;
  made.bodies.assign(bodies, bodies + size);
  return made;
}

// In front of a conditional node a kernel; in its body two kernels that add 1 and 10.
struct ConditionalJob {
  ConditionalJob(const Buffer& sums, CUgraphConditionalNodeType type, unsigned value, int step = 1)
      : graph(MakeGraph()),
        front(AddKernel(graph, {}, sums, 1000)),
        conditional(AddConditional(graph, graph, {front}, type, 1, value)),
        body(conditional.bodies.front()),
        first(AddKernel(body, {}, sums, step)),
        second(AddKernel(body, {first}, sums, 10)) {}

  void AddProbes(const Buffer& probed) {
    PutBeside(graph, front, AddKernel(graph, {front}, probed, 100'000));
    PutBeside(body, first, AddKernel(body, {first}, probed, 1));
    PutBeside(body, second, AddKernel(body, {second}, probed, 100));
  }

  Graph graph;
  CUgraphNode front;
  Conditional conditional;
  CUgraph body;
  CUgraphNode first, second;
};

TEST_F(AddedNodeRules, ProbesInABodyRunWhenItDoes) {
  for (const unsigned taken : {1U, 0U}) {
    sums_.Clear();
    probed_.Clear();
    ConditionalJob job(sums_, CU_GRAPH_COND_TYPE_IF, taken);
    job.AddProbes(probed_);
    const Exec exec = Instantiate(job.graph);
    Replay(exec, stream_);
    EXPECT_EQ(sums_.First(), taken ? 1011 : 1000);
    EXPECT_EQ(probed_.First(), taken ? 100'101 : 100'000);
    Replay(exec, stream_);
    EXPECT_EQ(probed_.First(), taken ? 200'202 : 200'000);
  }
}

TEST_F(AddedNodeRules, ProbesInALoopRunInEachIteration) {
  ConditionalJob job(sums_, CU_GRAPH_COND_TYPE_WHILE, 1);
  const Buffer left;
  const KernelParameters counting(CountDown(), job.conditional.handle, left.address());
  CUDA_KERNEL_NODE_PARAMS one = *counting.get();
  one.blockDimX = 1;
  AddNode(job.body, {job.second}, &one);
  job.AddProbes(probed_);
  const Exec exec = Instantiate(job.graph);
  Must(cuMemsetD32(left.address(), 3, 1));
  Must(cuCtxSynchronize());
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 1033);
  EXPECT_EQ(probed_.First(), 100'303);
}

TEST_F(AddedNodeRules, ProbesInTheBodyOfASwitchAndInANestedOneRun) {
  const Graph graph = MakeGraph();
  const Conditional outer = AddConditional(graph, graph, {}, CU_GRAPH_COND_TYPE_SWITCH, 3, 2);
  for (const CUgraph body : outer.bodies) {
    const CUgraphNode first = AddKernel(body, {}, sums_, 1);
    const Conditional inner = AddConditional(body, graph, {first}, CU_GRAPH_COND_TYPE_IF, 1, 1);
    const CUgraphNode nested = AddKernel(inner.bodies.front(), {}, sums_, 10);
    PutBeside(body, first, AddKernel(body, {first}, probed_, 100));
    PutBeside(inner.bodies.front(), nested, AddKernel(inner.bodies.front(), {nested}, probed_, 1));
  }
  Replay(Instantiate(graph), stream_);
  EXPECT_EQ(sums_.First(), 11);
  EXPECT_EQ(probed_.First(), 101);
}

TEST_F(AddedNodeRules, ProbesAreTakenOutOfAConditionalGraphInReverse) {
  ConditionalJob job(sums_, CU_GRAPH_COND_TYPE_IF, 1);
  const std::vector<CUgraphNode> before = Nodes(job.graph), inside = Nodes(job.body);
  const CUgraphNode probe = AddKernel(job.graph, {job.front}, probed_, 100'000);
  PutBeside(job.graph, job.front, probe);
  const CUgraphNode inner = AddKernel(job.body, {job.first}, probed_, 1);
  PutBeside(job.body, job.first, inner);
  EXPECT_EQ(cuGraphDestroyNode(inner), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroyNode(probe), CUDA_SUCCESS);
  EXPECT_EQ(Nodes(job.graph), before);
  EXPECT_EQ(Nodes(job.body), inside);
  EXPECT_EQ(DependenciesOf(job.second), (std::vector{job.first}));
  EXPECT_EQ(DependentsOf(job.front), (std::vector{job.conditional.node}));
  Replay(Instantiate(job.graph), stream_);
  EXPECT_EQ(sums_.First(), 1011);
  EXPECT_EQ(probed_.First(), 0);
}

TEST_F(AddedNodeRules, NodesInABodyAreSetInTheExecutable) {
  ConditionalJob job(sums_, CU_GRAPH_COND_TYPE_IF, 1);
  const CUgraphNode probe = AddKernel(job.body, {job.first}, probed_, 1);
  PutBeside(job.body, job.first, probe);
  const Exec exec = Instantiate(job.graph);
  const AddParameters two(sums_, 2), fifty(other_, 50);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, job.first, two.get()), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, probe, fifty.get()), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 1012);
  EXPECT_EQ(probed_.First(), 0);
  EXPECT_EQ(other_.First(), 50);
}

TEST_F(AddedNodeRules, AConditionalGraphTakesProbesBetweenTwoExecutables) {
  ConditionalJob job(sums_, CU_GRAPH_COND_TYPE_IF, 1);
  Exec exec = Instantiate(job.graph);
  Exec second;
  EXPECT_EQ(cuGraphInstantiate(second.Out(), job.graph, 0), CUDA_ERROR_NOT_SUPPORTED);
  job.AddProbes(probed_);
  Replay(exec, stream_);
  EXPECT_EQ(probed_.First(), 0) << "the executable is as it was made";
  exec.Reset();
  Replay(Instantiate(job.graph), stream_);
  EXPECT_EQ(sums_.First(), 2022);
  EXPECT_EQ(probed_.First(), 100'101);
}

TEST_F(AddedNodeRules, AConditionalExecutableIsUpdatedWhereProbesAreAlikeOnly) {
  ConditionalJob job(sums_, CU_GRAPH_COND_TYPE_IF, 1), incoming(sums_, CU_GRAPH_COND_TYPE_IF, 1, 2);
  job.AddProbes(probed_);
  const Exec exec = Instantiate(job.graph);
  EXPECT_EQ(Update(exec, incoming.graph), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 1011);
  incoming.AddProbes(other_);
  EXPECT_EQ(Update(exec, incoming.graph), CUDA_SUCCESS);
  Replay(exec, stream_);
  EXPECT_EQ(sums_.First(), 2023);
  EXPECT_EQ(other_.First(), 100'101);
}

TEST_F(AddedNodeRules, AProbeBesideAProgrammaticEdgeRuns) {
  Graph graph;
  Must(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
  LaunchAdd(stream_, sums_, 1);
  LaunchAddEarly(stream_, other_, 2);
  Must(cuStreamEndCapture(stream_, graph.Out()));
  const Edge edge = Edges(graph).at(0);
  ASSERT_EQ(edge.data.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  Connect(graph, AddKernel(graph, {edge.from}, probed_, 100), edge.to);
  Replay(Instantiate(graph), stream_);
  EXPECT_EQ(sums_.First(), 1);
  EXPECT_EQ(other_.First(), 2);
  EXPECT_EQ(probed_.First(), 100);
}

}  // namespace
}  // namespace rules
