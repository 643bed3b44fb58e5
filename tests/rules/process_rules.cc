// Rules that need a process of their own: faults, the end of the process, a crash.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/rules/child_process.h"
#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

// Says which condition did not hold, and makes the part fail.
void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::_Exit(1);
}

void LaunchIllegalStore(CUstream stream) {
  CUdeviceptr address = kNoAddress;
  int value = 1;
  std::array<void*, 2> arguments{&address, &value};
  Must(cuLaunchKernel(StoreAt(), 1, 1, 1, 1, 1, 1, 0, stream, arguments.data(), nullptr));
}

int IllegalAccessPart() {
  UsePrimaryContext();
  const OwnedStream stream = MakeStream();
  const Buffer sums;
  const Graph graph = MakeGraph();
  AddKernel(graph, {}, sums, 1);
  const Exec exec = Instantiate(graph);
  const Event event = MakeEvent();
  LaunchIllegalStore(stream);
  Require(cuStreamSynchronize(stream) == CUDA_ERROR_ILLEGAL_ADDRESS, "the wait tells it");
  CUdeviceptr memory = 0;
  Require(cuMemAlloc(&memory, 16) == CUDA_ERROR_ILLEGAL_ADDRESS, "so does an allocation");
  Require(cuGraphLaunch(exec, stream) == CUDA_ERROR_ILLEGAL_ADDRESS, "so does a graph launch");
  Require(cuEventRecord(event, stream) == CUDA_ERROR_ILLEGAL_ADDRESS, "so does an event record");
  Require(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS, "so does waiting for the context");
  std::_Exit(0);
}

// Host memory is readable after the fault: what a kernel wrote there before is seen.
int WordsAfterFaultPart() {
  UsePrimaryContext();
  const OwnedStream stream = MakeStream();
  HostWords words;
  CUdeviceptr address = reinterpret_cast<CUdeviceptr>(words.device(3));
  int value = 77;
  std::array<void*, 2> arguments{&address, &value};
  Must(cuLaunchKernel(StoreAt(), 1, 1, 1, 1, 1, 1, 0, stream, arguments.data(), nullptr));
  LaunchIllegalStore(stream);
  Require(cuStreamSynchronize(stream) == CUDA_ERROR_ILLEGAL_ADDRESS, "the wait tells it");
  Require(words.Load(3) == 77, "the word before the fault is there");
  std::_Exit(0);
}

int FindAfterDestroyPart() {
  UsePrimaryContext();
  const Buffer sums;
  Graph graph = MakeGraph();
  const CUgraphNode node = AddKernel(graph, {}, sums, 1);
  const Graph clone = Clone(graph);
  graph.Reset();
  CUgraphNode found = nullptr;
  cuGraphNodeFindInClone(&found, node, clone);
  std::_Exit(0);
}

CUcontext exit_context = nullptr;

// Every call that a drain at exit makes.
void CallsAtExit() {
  Must(cuCtxSetCurrent(exit_context));
  CUdeviceptr memory = 0;
  int word = 0;
  Must(cuMemAlloc(&memory, sizeof(word)));
  const OwnedStream stream = MakeStream();
  const Event event = MakeEvent();
  Must(cuMemsetD32Async(memory, 5, 1, stream));
  Must(cuMemcpyDtoHAsync(&word, memory, sizeof(word), stream));
  Must(cuEventRecord(event, stream));
  Must(cuEventSynchronize(event));
  Must(cuStreamSynchronize(stream));
  Must(cuMemFree(memory));
  Require(word == 5, "the copy arrived");
  std::_Exit(42);
}

int ExitHandlerPart() {
  Must(cuInit(0));
  std::atexit([] {
    try {
      CallsAtExit();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "at exit: %s\n", error.what());
      std::_Exit(1);
    }
  });
  UsePrimaryContext();
  exit_context = CurrentContext();
  const Buffer sums;
  const Graph graph = MakeGraph();
  AddKernel(graph, {}, sums, 1);
  static const Exec kLiveExec = Instantiate(graph);
  const OwnedStream stream = MakeStream();
  Replay(kLiveExec, stream);
  return 0;
}

// The set of blocked signals of one thread, as /proc tells it.
std::uint64_t BlockedSignals(const std::filesystem::path& thread) {
  std::ifstream status(thread / "status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigBlk:")) return std::stoull(line.substr(7), nullptr, 16);
  }
  return ~0ULL;  // the thread has ended
}

// A handler of the job never interrupts work for the GPU.
int SignalsPart() {
  UsePrimaryContext();
  const OwnedStream stream = MakeStream();
  const Buffer sums;
  const Graph graph = MakeGraph();
  AddKernel(graph, {}, sums, 1);
  Replay(Instantiate(graph), stream);
  const std::string self = std::to_string(getpid());
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (thread.path().filename() == self) continue;
    Require((BlockedSignals(thread) & 1ULL << (SIGALRM - 1)) != 0, "a thread blocks SIGALRM");
  }
  std::_Exit(0);
}

const ChildPart kParts[] = {
    {"illegal_access", &IllegalAccessPart},
    {"words_after_fault", &WordsAfterFaultPart},
    {"find_after_destroy", &FindAfterDestroyPart},
    {"exit_handler", &ExitHandlerPart},
    {"signals", &SignalsPart},
};

TEST(ProcessRules, AfterAnIllegalAccessEveryCallTellsIt) {
  const int status = RunInChildProcess("illegal_access");
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ProcessRules, HostMappedWordsAreReadableAfterAnIllegalAccess) {
  const int status = RunInChildProcess("words_after_fault");
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ProcessRules, FindInCloneCrashesAfterTheOriginalIsDestroyed) {
  const int status = RunInChildProcess("find_after_destroy");
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(ProcessRules, ThreadsOfTheDriverTakeNoSignalsOfTheJob) {
  const int status = RunInChildProcess("signals");
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ProcessRules, CudaWorksInAnExitHandlerRegisteredAfterInit) {
  const int status = RunInChildProcess("exit_handler");
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

}  // namespace
}  // namespace rules
