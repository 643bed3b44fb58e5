#include "tests/jobs/mirror/cases.h"

#include <thread>
#include <utility>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/mirror/arguments.h"

namespace mirror {
namespace {

// New numbers for the kernel that most cases change.
void Renumber(Node& node, unsigned round) {
  node.factor = 3 + 2 * round;
  node.add = 1000 * round + 7;
}

template <Subject::Call* kCall>
void ChangeScalars(Subject& subject, Setting&, unsigned round) {
  Renumber(subject[kCombine], round);
  subject.Apply(kCall, kCombine);
}

// The buffer between kernel and copy changes.
template <Subject::Call* kKernelCall, Subject::Call* kCopyCall>
void ChangePointers(Subject& subject, Setting& setting, unsigned round) {
  Buffer* between = round % 2 == 1 ? &setting.spare : &setting.mixed;
  subject[kCombine].target = between;
  subject[kCopy].source = between;
  subject.Apply(kKernelCall, kCombine);
  subject.Apply(kCopyCall, kCopy);
}

void ChangeGrid(Subject& subject, Setting&, unsigned round) {
  Renumber(subject[kCombine], round);
  subject[kCombine].blocks = 1 + round % 3;
  subject[kCombine].words = kWords - 5 * (round % 4);
  subject.Apply(&SetKernel, kCombine);
}

void ChangeFunction(Subject& subject, Setting&, unsigned round) {
  Renumber(subject[kCombine], round);
  subject[kCombine].function = round % 2 == 1 ? Function::kTwist : Function::kCombine;
  subject.Apply(round % 4 < 2 ? &SetKernel : &SetKernelV2, kCombine);
}

template <Subject::Call* kCall>
void ChangeCopy(Subject& subject, Setting& setting, unsigned round) {
  subject[kCopy].source = round % 2 == 1 ? &setting.state : &setting.mixed;
  subject[kCopy].words = kWords - round % 5;
  subject.Apply(kCall, kCopy);
}

void ChangeFill(Subject& subject, Setting& setting, unsigned round) {
  subject[kFill].add = 0x11000000 + round;
  subject[kFill].words = kWords - round % 7;
  subject[kFill].target = round % 4 == 3 ? &setting.spare : &setting.filled;
  subject.Apply(&SetFill, kFill);
}

void ChangeHost(Subject& subject, Setting& setting, unsigned round) {
  subject[kHost].counter = &setting.counters[round % 2];
  subject.Apply(round % 4 < 2 ? &SetHost : &SetGeneric, kHost);
}

void ChangeGenerically(Subject& subject, Setting& setting, unsigned round) {
  Renumber(subject[kCombine], round);
  subject[kFill].add = round;
  subject[kCopy].words = kWords - round % 5;
  subject[kHost].counter = &setting.counters[round % 2];
  subject[kRecord].marker = &setting.markers[round % 2];
  constexpr unsigned kChanged[] = {kCombine, kFill, kCopy, kHost, kRecord};
  for (const unsigned position : kChanged) subject.Apply(&SetGeneric, position);
}

constexpr unsigned kHeadStart = 2000;  // yields: what a replay that does not wait needs to be wrong

void WaitForGate(void* data) {
  const auto& [setting, ticket] = *static_cast<std::pair<Setting*, unsigned>*>(data);
  while (setting->gate_opened < ticket) std::this_thread::yield();
  for (unsigned i = 0; i < kHeadStart; ++i) std::this_thread::yield();
  delete static_cast<std::pair<Setting*, unsigned>*>(data);
}

// The graph waits for a kernel on another stream, which waits for the gate: it opens after the
// launch, so a replay that waits for the wrong event reads too early.
void ChangeEvents(Subject& subject, Setting& setting, unsigned round) {
  if (setting.last != nullptr) {
    CHECK(cudaEventRecord(setting.launched, setting.last));
    CHECK(cudaStreamWaitEvent(setting.side, setting.launched, 0));
  }
  auto* ticket = new std::pair<Setting*, unsigned>(&setting, ++setting.gate_closed);
  CHECK(cudaLaunchHostFunc(setting.side, &WaitForGate, ticket));
  Node outside;
  outside.target = &setting.external;
  outside.add = 77 * round;
  KernelArguments arguments(outside);
  const cudaKernelNodeParams kernel = arguments.Runtime();
  CHECK(cudaLaunchKernel(kernel.func, kernel.gridDim, kernel.blockDim, kernel.kernelParams, 0,
                         setting.side));
  for (unsigned i = 0; i < kWords; ++i) setting.external.words[i] += outside.add + i;
  Marker& awaited = setting.markers[2 + round % 2];
  CHECK(cudaEventRecord(awaited.event, setting.side));
  subject[kWait].marker = &awaited;
  subject[kRecord].marker = &setting.markers[round % 2];
  subject.Apply(&SetWait, kWait);
  subject.Apply(&SetRecord, kRecord);
}

// Kernels alone: behind a fill that is disabled, driver 580 sometimes starts a copy before the
// kernel in front of the fill has ended.
void ToggleNodes(Subject& subject, Setting&, unsigned round) {
  const unsigned position = round % 2 == 0 ? kAdvance : kCombine;
  subject[position].enabled = !subject[position].enabled;
  subject.Apply(&SetEnabled, position);
}

void RenumberAll(Subject& subject, unsigned round) {
  subject[kAdvance].add = 5 + round;
  Renumber(subject[kCombine], round);
  subject[kFill].add = 0x22000000 + round;
}

// A disabled node stays disabled.
void ToggleAndUpdate(Subject& subject, Setting& setting, unsigned round) {
  ToggleNodes(subject, setting, round);
  RenumberAll(subject, round);
  subject.UpdateByCapture(setting.side);
}

void UpdateByCapture(Subject& subject, Setting& setting, unsigned round) {
  RenumberAll(subject, round);
  Buffer* between = round % 2 == 1 ? &setting.spare : &setting.mixed;
  subject[kCombine].target = between;
  subject[kCopy].source = between;
  subject[kCapturedHost].counter = &setting.counters[round % 2];
  subject.UpdateByCapture(setting.side);
}

void UpdateByHand(Subject& subject, Setting& setting, unsigned round) {
  RenumberAll(subject, round);
  subject[kChild].inner[0].add = 99 * round;
  subject[kHost].counter = &setting.counters[round % 2];
  subject[kRecord].marker = &setting.markers[round % 2];
  subject.UpdateByHand();
}

template <Subject::Call* kCall, unsigned kPosition>
void ChangeChild(Subject& subject, Setting&, unsigned round) {
  Renumber(subject[kPosition].inner[0], round);
  subject[kPosition].inner[1].words = kWords - round % 3;
  subject.Apply(kCall, kPosition);
}

void ChangeInsideChild(Subject& subject, Setting&, unsigned round) {
  Renumber(subject[kChild].inner[0], round);
  subject[kChild].inner[1].words = kWords - round % 3;
  subject.ApplyInside(round % 2 == 1 ? &SetKernel : &SetGeneric, kChild, 0);
  subject.ApplyInside(&SetKernelV2, kChild, 1);
}

// The last of several is valid.
void ChangeOften(Subject& subject, Setting& setting, unsigned round) {
  for (unsigned i = 0; i < 4; ++i) {
    ChangeScalars<&SetKernel>(subject, setting, 10 * round + i);
    ChangeFill(subject, setting, round + i);
    ChangeCopy<&SetCopy1D>(subject, setting, round + i);
  }
  RenumberAll(subject, round);
  subject.UpdateByCapture(setting.side);
  RenumberAll(subject, round + 1);
  subject.UpdateByCapture(setting.side);
}

void Refuse(Subject& subject, Setting& setting, unsigned round) {
  ChangeScalars<&SetKernel>(subject, setting, round);
  subject.ExpectRefusals(kHost);
}

// The nodes of the graph that was instantiated name those of the executable after an update too.
void UpdateAndSet(Subject& subject, Setting& setting, unsigned round) {
  UpdateByCapture(subject, setting, round);
  ChangeScalars<&SetKernel>(subject, setting, 100 + round);
}

void SetAndUpdate(Subject& subject, Setting& setting, unsigned round) {
  ChangeScalars<&SetKernel>(subject, setting, 100 + round);
  UpdateByCapture(subject, setting, round);
}

void ChangeAllocatingKernel(Subject& subject, Setting&, unsigned round) {
  Renumber(subject[kAllocatingKernel], round);
  subject.Apply(&SetKernel, kAllocatingKernel);
}

void ChangeAllocatingPointers(Subject& subject, Setting& setting, unsigned round) {
  Buffer* between = round % 2 == 1 ? &setting.spare : &setting.nested;
  subject[kAllocatingBlend].target = between;
  subject[kAllocatingJoin].source = between;
  subject.Apply(&SetKernel, kAllocatingBlend);
  subject.Apply(&SetKernelV2, kAllocatingJoin);
}

void MakeAgain(Subject& subject, Setting& setting, unsigned) { subject.MakeAgain(*setting.truth); }

void DestroyGraph(Subject& subject, Setting&, unsigned round) {
  if (round == 1) subject.DestroyGraph();
}

template <unsigned kPosition>
void ChangeBody(Subject& subject, Setting& setting, unsigned round) {
  Nodes& body = subject[kPosition].bodies[0];
  Renumber(body[0], round);
  subject.ApplyInBody(&SetKernel, kPosition, 0);
  Buffer* between = round % 2 == 1 ? &setting.spare : &setting.inner;
  body[0].target = between;
  body[1].source = between;
  subject.ApplyInBody(&SetKernelV2, kPosition, 0);
  subject.ApplyInBody(&SetGeneric, kPosition, 1);
}

void UpdateTaken(Subject& subject, Setting& setting, unsigned round) {
  Nodes& body = subject[kTakenIf].bodies[0];
  Renumber(body[0], round);
  Buffer* between = round % 2 == 1 ? &setting.spare : &setting.inner;
  body[0].target = between;
  body[1].source = between;
  subject.UpdateByHand();
}

void ChangeNothing(Subject&, Setting&, unsigned) {}

constexpr Case kCases[] = {
    {"kernel", Shape::kFull, 1, 3, "", &ChangeScalars<&SetKernel>},
    {"kernel_v1", Shape::kFull, 1, 3, "", &ChangeScalars<&SetKernelV1>},
    {"kernel_v2", Shape::kFull, 1, 3, "", &ChangeScalars<&SetKernelV2>},
    {"kernel_packed", Shape::kFull, 1, 3, "", &ChangeScalars<&SetKernelPacked>},
    {"kernel_pointers", Shape::kFull, 1, 3, "", &ChangePointers<&SetKernel, &SetCopy>},
    {"kernel_grid", Shape::kFull, 1, 3, "", &ChangeGrid},
    {"kernel_function", Shape::kFull, 1, 3, "", &ChangeFunction},
    {"memcpy", Shape::kFull, 1, 3, "", &ChangeCopy<&SetCopy>},
    {"memcpy_1d", Shape::kFull, 1, 3, "", &ChangeCopy<&SetCopy1D>},
    {"memcpy_driver", Shape::kFull, 1, 3, "", &ChangeCopy<&SetCopyDriver>},
    {"memset", Shape::kFull, 1, 3, "", &ChangeFill},
    {"host", Shape::kFull, 1, 3, "", &ChangeHost},
    {"generic", Shape::kFull, 1, 3, "", &ChangeGenerically},
    {"generic_pointers", Shape::kFull, 1, 3, "", &ChangePointers<&SetGeneric, &SetGeneric>},
    {"events", Shape::kFull, 1, 3, "", &ChangeEvents},
    {"enabled", Shape::kFull, 1, 2, "", &ToggleNodes},
    {"enabled_update", Shape::kCaptured, 1, 3, "mirror_stale", &ToggleAndUpdate},
    {"update_capture", Shape::kCaptured, 1, 3, "mirror_stale", &UpdateByCapture},
    {"update_rarely", Shape::kCaptured, 1, 25, "mirror_stale", &UpdateByCapture},
    {"update_by_hand", Shape::kFull, 1, 3, "mirror_stale", &UpdateByHand},
    {"child", Shape::kFull, 1, 3, "", &ChangeChild<&SetChild, kChild>},
    {"child_generic", Shape::kFull, 1, 3, "", &ChangeChild<&SetChildGeneric, kChild>},
    {"child_branches", Shape::kBranches, 1, 3, "", &ChangeChild<&SetChild, kBranchesChild>},
    {"inside_child", Shape::kFull, 1, 3, "", &ChangeInsideChild},
    {"often", Shape::kCaptured, 1, 3, "mirror_stale", &ChangeOften},
    {"refused", Shape::kFull, 1, 3, "", &Refuse},
    {"update_and_set", Shape::kCaptured, 1, 3, "mirror_stale", &UpdateAndSet},
    {"set_and_update", Shape::kCaptured, 1, 3, "mirror_stale", &SetAndUpdate},
    {"each_launch", Shape::kFull, 1, 1, "", &ChangeScalars<&SetKernel>},
    {"fork", Shape::kFork, 1, 3, "", &ChangePointers<&SetKernel, &SetCopy1D>},
    {"executables", Shape::kFull, 3, 2, "", &ChangeScalars<&SetKernel>},
    {"allocating", Shape::kAllocating, 1, 3, "", &ChangeAllocatingKernel},
    {"allocating_pointers", Shape::kAllocating, 1, 3, "", &ChangeAllocatingPointers},
    {"allocating_again", Shape::kAllocating, 1, 10, "", &MakeAgain},
    {"allocating_alone", Shape::kAllocating, 1, 10, "", &DestroyGraph},
    {"choosing", Shape::kChoosing, 1, 3, "", &ChangeNothing},
    {"choosing_body", Shape::kChoosing, 1, 3, "", &ChangeBody<kFirstIf>},
    {"choosing_again", Shape::kChoosing, 1, 10, "", &MakeAgain},
    {"choosing_alone", Shape::kChoosing, 1, 10, "", &DestroyGraph},
    {"looping", Shape::kLooping, 1, 3, "", &ChangeNothing},
    {"taken_update", Shape::kTaken, 1, 3, "", &UpdateTaken},
    {"mixed", Shape::kMixed, 1, 3, "", &ChangeNothing},
};

}  // namespace

std::span<const Case> AllCases() { return kCases; }

}  // namespace mirror
