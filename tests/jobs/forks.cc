// CUDA and fork.
//   forks before   the process forks before it uses CUDA; the child does
//   forks after    the process uses CUDA, then forks; the child does not, the parent goes on
// No kernels: the graph fills memory. Prints a line for each process. Exit 1 if anything is wrong.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kBytes = 4096;

void Check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "forks: %s: %s\n", call, name != nullptr ? name : "unknown error");
  std::exit(1);
}
#define CHECK(call) Check((call), #call)

void StartCuda() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
}

// Fills memory with `value` by a graph and reads it back.
void ReplayFill(unsigned char value) {
  CUdeviceptr data = 0;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CHECK(cuMemAlloc(&data, kBytes));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuMemsetD8Async(data, value, kBytes, stream));
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  std::vector<unsigned char> host(kBytes);
  CHECK(cuMemcpyDtoH(host.data(), data, kBytes));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFree(data));
  for (const unsigned char seen : host) {
    if (seen == value) continue;
    std::fprintf(stderr, "forks: expected %u, seen %u\n", unsigned{value}, unsigned{seen});
    std::exit(1);
  }
}

// Forks; the child runs `child` and exits. Returns the child's exit code, or 128 + its signal.
int RunInChild(void (*child)()) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) {
    std::perror("forks: fork");
    std::exit(1);
  }
  if (pid == 0) {
    child();
    std::fflush(nullptr);
    std::exit(0);
  }
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int Before() {
  const int code = RunInChild([] {
    StartCuda();
    ReplayFill(7);
    std::printf("child used CUDA\n");
  });
  std::printf("parent did not\n");
  return code;
}

int After() {
  StartCuda();
  ReplayFill(8);
  const int code = RunInChild([] { std::printf("child did not use CUDA\n"); });
  ReplayFill(9);
  std::printf("parent used CUDA before and after\n");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view when = argc == 2 ? argv[1] : "";
  if (when != "before" && when != "after") {
    std::fprintf(stderr, "forks: usage: forks before|after\n");
    return 2;
  }
  const int code = when == "before" ? Before() : After();
  if (code != 0) std::fprintf(stderr, "forks: the child ended with %d\n", code);
  return code == 0 ? 0 : 1;
}
