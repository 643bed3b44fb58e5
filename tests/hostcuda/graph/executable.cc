#include "tests/hostcuda/graph/executable.h"

#include <utility>

#include "tests/hostcuda/driver/graph_memory.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/launch.h"
#include "tests/hostcuda/graph/node_work.h"
#include "tests/hostcuda/graph/restrictions.h"

namespace hostcuda {
namespace {

std::vector<void*>& FreeStorage() {
  static auto* storage = new std::vector<void*>;
  return *storage;
}

void RetainEmbedded(const Graph& graph, UserObjectSet& objects) {
  for (auto& node : graph.nodes()) {
    for (auto& embedded : node->embedded) {
      objects.RetainAll(embedded->user_objects());
      RetainEmbedded(*embedded, objects);
    }
  }
}

std::shared_ptr<UserObjectSet> AllUserObjects(const Graph& graph) {
  auto objects = std::make_shared<UserObjectSet>(graph.user_objects());
  RetainEmbedded(graph, *objects);
  return objects;
}

void CollectMemory(const ProgramState& state, GraphAllocations& allocated,
                   GraphAllocations& freed) {
  for (const ProgramStep& step : state.steps) {
    for (auto& embedded : step.embedded) CollectMemory(*embedded, allocated, freed);
    if (!step.work) continue;
    if (const auto* allocate = std::get_if<AllocateWork>(step.work.get())) {
      allocated.push_back(allocate->allocation);
    } else if (const auto* free = std::get_if<FreeWork>(step.work.get())) {
      freed.push_back(free->allocation);
    }
  }
}

}  // namespace

Executable::Executable(Graph& graph, std::uint64_t flags, std::shared_ptr<const ProgramShape> shape)
    : flags_(flags),
      shape_(std::move(shape)),
      state_(MakeState(graph)),
      user_objects_(AllUserObjects(graph)),
      instantiation_(std::make_shared<int>()) {
  graph.instantiated = instantiation_;
  AddHandle(this);
}

Executable::~Executable() { ForgetHandle(this); }

void* Executable::operator new(std::size_t size) {
  if (FreeStorage().empty()) return ::operator new(size);
  void* storage = FreeStorage().back();
  FreeStorage().pop_back();
  return storage;
}

void Executable::operator delete(void* storage) { FreeStorage().push_back(storage); }

CUresult Executable::Make(Graph& graph, std::uint64_t flags, std::unique_ptr<Executable>* made,
                          const Node** error_node) {
  CUresult result = CheckInstantiation(graph);
  if (result != CUDA_SUCCESS) return result;
  std::shared_ptr<const ProgramShape> shape = MakeShape(graph, error_node);
  if (shape == nullptr) return CUDA_ERROR_INVALID_VALUE;
  made->reset(new Executable(graph, flags, std::move(shape)));
  return CUDA_SUCCESS;
}

ProgramState& Executable::OwnState() {
  if (launched_with_state_) {
    state_ = std::make_shared<ProgramState>(*state_);
    launched_with_state_ = false;
  }
  return *state_;
}

CUresult Executable::SetWork(const ProgramPath& path, const std::shared_ptr<const Work>& work) {
  ProgramStep step = StepAt(path);
  if (!step.embedded.empty() || CheckChange(*step.work, *work) != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  step.work = WithAttributesOf(*step.work, work);
  ReplaceStep(OwnState(), path, std::move(step));
  return CUDA_SUCCESS;
}

CUresult Executable::SetChild(const ProgramPath& path, const Graph& graph) {
  ProgramStep step = StepAt(path);
  if (step.work != nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<ProgramState> updated;
  UpdateOutcome outcome = MakeUpdatedState(*ShapeAt(*shape_, path).embedded.front(),
                                           *step.embedded.front(), graph, &updated);
  if (outcome.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
  step.embedded.front() = std::move(updated);
  ReplaceStep(OwnState(), path, std::move(step));
  return CUDA_SUCCESS;
}

void Executable::SetEnabled(const ProgramPath& path, bool enabled) {
  ProgramStep step = StepAt(path);
  step.enabled = enabled;
  ReplaceStep(OwnState(), path, std::move(step));
}

UpdateOutcome Executable::Update(const Graph& graph) {
  std::shared_ptr<ProgramState> updated;
  UpdateOutcome outcome = MakeUpdatedState(*shape_, *state_, graph, &updated);
  if (outcome.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return outcome;
  state_ = std::move(updated);
  user_objects_ = AllUserObjects(graph);
  launched_with_state_ = false;
  return outcome;
}

CUresult Executable::Launch(Stream& stream) {
  GraphAllocations allocated, freed;
  CollectMemory(*state_, allocated, freed);
  bool free_first = (flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
  CUresult result = LaunchGraphMemory(allocated, freed, free_first);
  if (result != CUDA_SUCCESS) return result;
  launched_with_state_ = true;
  last_launch_ =
      LaunchProgram(stream, {shape_, state_, user_objects_}, std::exchange(last_launch_, nullptr));
  return CUDA_SUCCESS;
}

}  // namespace hostcuda
