// Moments of a run, in the order of the arguments; without kernels, on the driver alone.
//   moments MOMENT…
// mark:TEXT, push:TEXT, pop, start:TEXT, end   of NVTX; `end` ends the range that was started last
// marks:N:TEXT       the mark N times
// host:TEXT          the mark, in a host function of the device, which is waited for
// thread:TEXT        the mark, by a thread without a context
// capture            captures and instantiates a graph that fills memory
// replay:N           launches the last one N times
// oom, oom_async, oom_create   asks for more than there is, by cuMemAlloc, …Async, cuMemCreate
// device:K           goes on with the device K
// handler            SIGUSR2 is handled by the job from now on
// signal             raises SIGUSR2
// fork_signal        a forked child does, and says how it ended
// exit:N, _exit:N, quick_exit:N
// Prints how many signals it handled. Exit 1: a call is not as expected.
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBytes = 4096, kTooMany = std::size_t{1} << 50;

void Check(CUresult result, const char* call, CUresult expected = CUDA_SUCCESS) {
  if (result == expected) return;
  std::fprintf(stderr, "moments: %s: %d\n", call, result);
  std::exit(1);
}
#define CHECK(call) Check((call), #call)
#define CHECK_FULL(call) Check((call), #call, CUDA_ERROR_OUT_OF_MEMORY)

volatile sig_atomic_t the_handled = 0;
void Handle(int) { the_handled = the_handled + 1; }

class Job {
 public:
  Job() {
    CHECK(cuInit(0));
    Use(0);
  }
  void Do(const std::string& name, const std::string& value);

 private:
  void Use(int ordinal) {
    CUdevice device = 0;
    CUcontext context = nullptr;
    CHECK(cuDeviceGet(&device, ordinal));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuMemAlloc(&data_, kBytes));
    CHECK(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  }

  void Capture() {
    CUgraph graph = nullptr;
    CHECK(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(cuMemsetD8Async(data_, 1, kBytes, stream_));
    CHECK(cuStreamEndCapture(stream_, &graph));
    CHECK(cuGraphInstantiate(&executable_, graph, 0));
  }

  void Launch(int times) {
    for (int i = 0; i < times; ++i) CHECK(cuGraphLaunch(executable_, stream_));
    CHECK(cuStreamSynchronize(stream_));
  }

  void RunHostFunction(const std::string& text) {
    CHECK(cuLaunchHostFunc(
        stream_, [](void* data) { nvtxMarkA(static_cast<const char*>(data)); },
        const_cast<char*>(text.c_str())));
    CHECK(cuStreamSynchronize(stream_));
  }

  void Ask(const std::string& name) {
    CUdeviceptr address = 0;
    if (name == "oom") CHECK_FULL(cuMemAlloc(&address, kTooMany));
    if (name == "oom_async") CHECK_FULL(cuMemAllocAsync(&address, kTooMany, stream_));
    if (name != "oom_create") return;
    CUmemGenericAllocationHandle handle = 0;
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CHECK_FULL(cuMemCreate(&handle, kTooMany, &properties, 0));
  }

  void Signal(const std::string& name) {
    if (name == "handler") signal(SIGUSR2, Handle);
    if (name == "signal") raise(SIGUSR2);
    if (name != "fork_signal") return;
    const pid_t child = fork();
    if (child == 0) {
      raise(SIGUSR2);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child: %s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }

  void Mark(const std::string& name, const std::string& value) {
    if (name == "mark") nvtxMarkA(value.c_str());
    if (name == "push") nvtxRangePushA(value.c_str());
    if (name == "pop") nvtxRangePop();
    if (name == "start") started_.push_back(nvtxRangeStartA(value.c_str()));
    if (name == "end") {
      nvtxRangeEnd(started_.back());
      started_.pop_back();
    }
    if (name == "thread") std::thread([&] { nvtxMarkA(value.c_str()); }).join();
    if (name != "marks") return;
    const auto colon = value.find(':');
    for (int i = std::stoi(value.substr(0, colon)); i > 0; --i) {
      nvtxMarkA(value.c_str() + colon + 1);
    }
  }

  CUdeviceptr data_ = 0;
  CUstream stream_ = nullptr;
  CUgraphExec executable_ = nullptr;
  std::vector<nvtxRangeId_t> started_;
};

void Job::Do(const std::string& name, const std::string& value) {
  if (name == "capture") Capture();
  if (name == "replay") Launch(std::stoi(value));
  if (name == "host") RunHostFunction(value);
  if (name == "device") Use(std::stoi(value));
  Ask(name);
  Signal(name);
  Mark(name, value);
  std::fflush(stdout);
  if (name == "exit") std::exit(std::stoi(value));
  if (name == "_exit") _exit(std::stoi(value));
  if (name == "quick_exit") std::quick_exit(std::stoi(value));
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  for (int i = 1; i < argc; ++i) {
    const std::string moment = argv[i];
    const auto colon = moment.find(':');
    job.Do(moment.substr(0, colon), colon == std::string::npos ? "" : moment.substr(colon + 1));
  }
  std::printf("handled %d\n", static_cast<int>(the_handled));
  return 0;
}
