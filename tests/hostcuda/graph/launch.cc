#include "tests/hostcuda/graph/launch.h"

#include <unordered_map>
#include <utility>

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/event.h"
#include "tests/hostcuda/driver/stream.h"

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
    if (step.child) {
      NoteWaits(*step.child, points);
    } else if (const auto* wait = std::get_if<WaitWork>(step.work.get())) {
      auto event = Live<Event>().Find(wait->event);
      points.waits[&step] = event ? event->LatestRecord() : nullptr;
    }
  }
}

void BeginRecords(const ProgramState& state, EventPoints& points) {
  for (const ProgramStep& step : state.steps) {
    if (step.child) {
      BeginRecords(*step.child, points);
    } else if (const auto* record = std::get_if<RecordWork>(step.work.get())) {
      auto event = Live<Event>().Find(record->event);
      if (event) points.records[&step] = event->BeginRecord();
    }
  }
}

CUresult RunStep(const ProgramStep& step, const EventPoints& points) {
  if (auto wait = points.waits.find(&step); wait != points.waits.end()) {
    if (wait->second) wait->second->Wait();
  } else if (auto record = points.records.find(&step); record != points.records.end()) {
    record->second->Complete();
  } else if (step.enabled) {
    return Run(*step.work);
  }
  return CUDA_SUCCESS;
}

CUresult RunProgram(const ProgramShape& shape, const ProgramState& state, const EventPoints& points,
                    const Context& context) {
  for (std::uint32_t i : shape.order) {
    if (CUresult error = context.Error(); error != CUDA_SUCCESS) return error;
    const ProgramStep& step = state.steps[i];
    CUresult result = step.child ? RunProgram(*shape.nodes[i].child, *step.child, points, context)
                                 : RunStep(step, points);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace

CompletionPtr LaunchProgram(Stream& stream, Program program, CompletionPtr previous) {
  EventPoints points;
  NoteWaits(*program.state, points);
  BeginRecords(*program.state, points);
  Completions begun;  // completed with the run, for one that ends early does not come to them all
  for (auto& [step, record] : points.records) begun.push_back(record);
  return stream.Enqueue(
      [program = std::move(program), points = std::move(points), &context = stream.context] {
        return RunProgram(*program.shape, *program.state, points, context);
      },
      {std::move(previous)}, std::move(begun));
}

}  // namespace hostcuda
