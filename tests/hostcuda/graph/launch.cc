#include "tests/hostcuda/graph/launch.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/event.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/conditional.h"

namespace hostcuda {
namespace {

// What a run's event nodes do, by step: records count from the launch on, waits are for the record
// that was the latest before it.
struct EventPoints {
  std::unordered_map<const ProgramStep*, CompletionPtr> records;
  std::unordered_map<const ProgramStep*, CompletionPtr> waits;
};

void NoteWaits(const ProgramState& state, EventPoints& points) {
  for (const ProgramStep& step : state.steps) {
    for (auto& embedded : step.embedded) NoteWaits(*embedded, points);
    if (!step.work) continue;
    if (const auto* wait = std::get_if<WaitWork>(step.work.get())) {
      auto event = Live<Event>().Find(wait->event);
      points.waits[&step] = event ? event->LatestRecord() : nullptr;
    }
  }
}

void BeginRecords(const ProgramState& state, EventPoints& points) {
  for (const ProgramStep& step : state.steps) {
    for (auto& embedded : step.embedded) BeginRecords(*embedded, points);
    if (!step.work) continue;
    if (const auto* record = std::get_if<RecordWork>(step.work.get())) {
      auto event = Live<Event>().Find(record->event);
      if (event) points.records[&step] = event->BeginRecord();
    }
  }
}

void AssignDefaults(const ProgramState& state) {
  for (auto& conditional : state.conditionals) {
    if (conditional->assigns_default) conditional->value = conditional->default_value;
  }
  for (const ProgramStep& step : state.steps) {
    for (auto& embedded : step.embedded) AssignDefaults(*embedded);
  }
}

// The body that a conditional node runs with this value, if any.
std::optional<std::uint32_t> ChooseBody(CUgraphConditionalNodeType type, unsigned value,
                                        std::size_t bodies) {
  std::uint32_t chosen = value;
  if (type == CU_GRAPH_COND_TYPE_IF) chosen = value != 0 ? 0 : 1;
  if (type == CU_GRAPH_COND_TYPE_WHILE) chosen = value != 0 ? 0 : 1;  // there is one
  return chosen < bodies ? std::optional(chosen) : std::nullopt;
}

// One run of a program, on the stream's worker.
class ProgramRun {
 public:
  ProgramRun(const EventPoints& points, const Context& context)
      : points_(points), context_(context) {}

  CUresult Program(const ProgramShape& shape, const ProgramState& state) const {
    for (std::uint32_t i : shape.order) {
      if (CUresult error = context_.Error(); error != CUDA_SUCCESS) return error;
      CUresult result = Step(shape.nodes[i], state.steps[i]);
      if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
  }

 private:
  CUresult Step(const ShapeNode& shape, const ProgramStep& step) const {
    if (!step.work) return Program(*shape.embedded.front(), *step.embedded.front());
    if (const auto* conditional = std::get_if<ConditionalWork>(step.work.get())) {
      return RunBodies(*conditional, shape, step);
    }
    if (auto wait = points_.waits.find(&step); wait != points_.waits.end()) {
      if (wait->second) wait->second->Wait();
    } else if (auto record = points_.records.find(&step); record != points_.records.end()) {
      record->second->Complete();
    } else if (step.enabled) {
      return Run(*step.work);
    }
    return CUDA_SUCCESS;
  }

  CUresult RunBodies(const ConditionalWork& work, const ShapeNode& shape,
                     const ProgramStep& step) const {
    do {
      auto body = ChooseBody(work.type, work.conditional->value, step.embedded.size());
      if (!body) return CUDA_SUCCESS;
      if (CUresult error = context_.Error(); error != CUDA_SUCCESS) return error;
      CUresult result = Program(*shape.embedded[*body], *step.embedded[*body]);
      if (result != CUDA_SUCCESS) return result;
    } while (work.type == CU_GRAPH_COND_TYPE_WHILE);
    return CUDA_SUCCESS;
  }

  const EventPoints& points_;
  const Context& context_;
};

}  // namespace

CompletionPtr LaunchProgram(Stream& stream, Program program, CompletionPtr previous) {
  EventPoints points;
  NoteWaits(*program.state, points);
  BeginRecords(*program.state, points);
  Completions begun;  // completed with the run, for one that ends early does not come to them all
  for (auto& [step, record] : points.records) begun.push_back(record);
  return stream.Enqueue(
      [program = std::move(program), points = std::move(points), &context = stream.context] {
        AssignDefaults(*program.state);
        return ProgramRun(points, context).Program(*program.shape, *program.state);
      },
      {std::move(previous)}, std::move(begun));
}

}  // namespace hostcuda
