// What the graphs of the cases work on, and their shapes.
#include "tests/jobs/cuda_check.h"
#include "tests/jobs/mirror/cases.h"

namespace mirror {
namespace {

Node Kernel(Function function, Buffer& target, Buffer* source = nullptr, Buffer* second = nullptr) {
  Node node;
  node.function = function;
  node.source = source;
  node.second = second;
  node.target = &target;
  node.factor = 3;
  node.add = 5;
  return node;
}

Node Fill(Buffer& target) {
  Node node;
  node.kind = Kind::kFill;
  node.target = &target;
  node.add = 0x01020304;
  return node;
}

Node Copy(Buffer& target, Buffer& source) {
  Node node;
  node.kind = Kind::kCopy;
  node.source = &source;
  node.target = &target;
  return node;
}

Node Host(Counter& counter) {
  Node node;
  node.kind = Kind::kHost;
  node.counter = &counter;
  return node;
}

Node Event(Kind kind, Marker& marker) {
  Node node;
  node.kind = kind;
  node.marker = &marker;
  return node;
}

// Each node depends on the one before it.
Nodes Chain(Nodes nodes) {
  for (unsigned i = 1; i < nodes.size(); ++i) nodes[i].after = {i - 1};
  return nodes;
}

Node Memory(Kind kind, Buffer& buffer) {
  Node node;
  node.kind = kind;
  node.target = &buffer;
  return node;
}

Node Choose(Condition& condition, Buffer& source, unsigned choices) {
  Node node;
  node.function = Function::kChoose;
  node.condition = &condition;
  node.source = &source;
  node.factor = choices;
  return node;
}

Node CountDown(Condition& condition, Buffer& left) {
  Node node;
  node.function = Function::kCountDown;
  node.condition = &condition;
  node.target = &left;
  return node;
}

Node Conditional(Kind kind, Condition& condition, std::vector<Nodes> bodies) {
  Node node;
  node.kind = kind;
  node.condition = &condition;
  for (Nodes& body : bodies) node.bodies.push_back(Chain(std::move(body)));
  return node;
}

Nodes AllocatingNodes(Setting& s) {
  Nodes nodes =
      Chain({Kernel(Function::kAdvance, s.state), Memory(Kind::kAllocate, s.inside[0]),
             Kernel(Function::kCombine, s.inside[0], &s.state), Copy(s.copied, s.inside[0]),
             Memory(Kind::kFree, s.inside[0]), Memory(Kind::kAllocate, s.inside[1]),
             Kernel(Function::kTwist, s.inside[1], &s.copied), Fill(s.filled),
             Kernel(Function::kBlend, s.nested, &s.inside[1], &s.filled),
             Memory(Kind::kFree, s.inside[1]),
             Kernel(Function::kJoin, s.result, &s.nested, &s.external)});
  nodes[4].after = {2, 3};  // the free node depends on both that use the memory
  return nodes;
}

Nodes ChoosingNodes(Setting& s) {
  return Chain({Kernel(Function::kAdvance, s.state), Choose(s.conditions[0], s.state, 2),
                Conditional(Kind::kIf, s.conditions[0],
                            {{Kernel(Function::kTwist, s.inner, &s.state),
                              Kernel(Function::kBlend, s.nested, &s.inner, &s.state)},
                             {Kernel(Function::kCombine, s.mixed, &s.state)}}),
                Choose(s.conditions[1], s.state, 4),
                Conditional(Kind::kSwitch, s.conditions[1],
                            {{Fill(s.filled)},
                             {Copy(s.copied, s.mixed)},
                             {Kernel(Function::kTwist, s.copied, &s.inner)}}),
                Kernel(Function::kJoin, s.result, &s.nested, &s.copied)});
}

Nodes LoopingNodes(Setting& s) {
  Node rounds = Fill(s.filled);
  rounds.add = 3;
  s.conditions[0].first = 1;
  return Chain(
      {Kernel(Function::kAdvance, s.state), rounds,
       Conditional(Kind::kWhile, s.conditions[0],
                   {{Kernel(Function::kAdvance, s.inner), Choose(s.conditions[1], s.inner, 2),
                     Conditional(Kind::kIf, s.conditions[1],
                                 {{Kernel(Function::kTwist, s.nested, &s.inner)}}),
                     CountDown(s.conditions[0], s.filled)}}),
       Kernel(Function::kJoin, s.result, &s.nested, &s.state)});
}

Nodes MixedNodes(Setting& s) {
  return Chain(
      {Kernel(Function::kAdvance, s.state), Memory(Kind::kAllocate, s.inside[0]),
       Kernel(Function::kCombine, s.inside[0], &s.state), Choose(s.conditions[0], s.state, 2),
       Conditional(Kind::kIf, s.conditions[0],
                   {{Kernel(Function::kTwist, s.nested, &s.inside[0])}}),
       Memory(Kind::kFree, s.inside[0]), Kernel(Function::kJoin, s.result, &s.nested, &s.state)});
}

Nodes TakenNodes(Setting& s) {
  s.conditions[0].first = 1;
  return Chain({Kernel(Function::kAdvance, s.state),
                Conditional(Kind::kIf, s.conditions[0],
                            {{Kernel(Function::kTwist, s.inner, &s.state),
                              Kernel(Function::kBlend, s.nested, &s.inner, &s.state)}}),
                Kernel(Function::kJoin, s.result, &s.nested, &s.state)});
}

Node Child(Nodes inner) {
  Node node;
  node.kind = Kind::kChild;
  node.inner = Chain(std::move(inner));
  return node;
}

Nodes ClonableNodes(Shape shape, Setting& s) {
  const Nodes start = {Kernel(Function::kAdvance, s.state),
                       Kernel(Function::kCombine, s.mixed, &s.state), Fill(s.filled),
                       Copy(s.copied, s.mixed)};
  Nodes nodes = start;
  if (shape == Shape::kFull) {
    nodes.push_back(Child({Kernel(Function::kTwist, s.inner, &s.copied),
                           Kernel(Function::kBlend, s.nested, &s.inner, &s.filled)}));
    nodes.push_back(Host(s.counters[0]));
    nodes.push_back(Event(Kind::kRecord, s.markers[0]));
    nodes.push_back(Event(Kind::kWait, s.markers[2]));
    nodes.push_back(Kernel(Function::kJoin, s.result, &s.nested, &s.external));
    return Chain(std::move(nodes));
  }
  if (shape == Shape::kCaptured) {
    nodes.push_back(Host(s.counters[0]));
    nodes.push_back(Kernel(Function::kJoin, s.result, &s.copied, &s.filled));
    return Chain(std::move(nodes));
  }
  if (shape == Shape::kBranches) {
    nodes.back() = Child({Kernel(Function::kTwist, s.inner, &s.mixed),
                          Kernel(Function::kBlend, s.nested, &s.mixed, &s.filled)});
    nodes.back().inner[1].after.clear();
    nodes.push_back(Kernel(Function::kJoin, s.result, &s.inner, &s.nested));
    return Chain(std::move(nodes));
  }
  nodes.push_back(Kernel(Function::kTwist, s.nested, &s.filled));
  nodes.push_back(Kernel(Function::kJoin, s.result, &s.copied, &s.nested));
  nodes[1].after = nodes[2].after = {0};
  nodes[3].after = {1};
  nodes[4].after = {2};
  nodes[5].after = {3, 4};
  return nodes;
}

}  // namespace

Setting::Setting() {
  unsigned first = 1;
  for (Buffer* buffer : All()) {
    for (unsigned i = 0; i < kWords; ++i) buffer->words[i] = 1000 * first + i;
    ++first;
    CHECK(cudaMalloc(&buffer->device, sizeof(Words)));
    CHECK(cudaMemcpy(buffer->device, buffer->words.data(), sizeof(Words), cudaMemcpyHostToDevice));
  }
  CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&launched, cudaEventDisableTiming));
  for (Marker& marker : markers) CHECK(cudaEventCreate(&marker.event));
  for (Marker* marker : {&markers[2], &markers[3]}) {
    CHECK(cudaEventRecord(marker->event, side));
    marker->recorded = true;
  }
  CHECK(cudaDeviceSynchronize());  // the streams of this job do not wait for the legacy one
}

Setting::~Setting() {
  for (Buffer* buffer : All()) CHECK(cudaFree(buffer->device));
  for (const Marker& marker : markers) CHECK(cudaEventDestroy(marker.event));
  CHECK(cudaEventDestroy(launched));
  CHECK(cudaStreamDestroy(side));
}

std::vector<Buffer*> Setting::All() {
  return {&state, &mixed, &spare, &filled, &copied, &inner, &nested, &external, &result};
}

bool IsClonable(Shape shape) { return shape < Shape::kAllocating; }

Nodes NodesOf(Shape shape, Setting& s) {
  switch (shape) {
    case Shape::kAllocating:
      return AllocatingNodes(s);
    case Shape::kChoosing:
      return ChoosingNodes(s);
    case Shape::kTaken:
      return TakenNodes(s);
    case Shape::kLooping:
      return LoopingNodes(s);
    case Shape::kMixed:
      return MixedNodes(s);
    default:
      return ClonableNodes(shape, s);
  }
}

}  // namespace mirror
