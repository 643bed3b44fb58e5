// CUDA and fork.
//   forks before   the process forks before it uses CUDA; the child does
//   forks after    the process uses CUDA, then forks; the child does not, the parent goes on
//   forks exec, vfork, spawn
//                  the process uses CUDA; a child, made so, becomes `forks alone`; the parent goes
//                  on
//   forks daemon   the process becomes a daemon, which uses CUDA; its first parent waits for its
//   end forks alone    no fork
// No kernels: the graph fills memory. Prints a line for each process. Exit 1 if anything is wrong.
#include <cuda.h>
#include <spawn.h>
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

int WaitFor(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
  return WaitFor(pid);
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

int Alone() {
  StartCuda();
  ReplayFill(5);
  std::printf("used CUDA alone\n");
  return 0;
}

const char* const kAlone[] = {"forks", "alone", nullptr};
char* const* AloneArguments() { return const_cast<char* const*>(kAlone); }

pid_t ForkExec() {
  const pid_t pid = fork();
  if (pid == 0) {
    execvp("/proc/self/exe", AloneArguments());
    _exit(126);
  }
  return pid;
}

pid_t VforkExec() {
  const pid_t pid = vfork();
  if (pid == 0) {
    execve("/proc/self/exe", AloneArguments(), environ);
    _exit(126);
  }
  return pid;
}

pid_t Spawn() {
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, AloneArguments(), environ);
  return error == 0 ? pid : -1;
}

int Become(pid_t (*start)()) {
  StartCuda();
  ReplayFill(8);
  const int code = WaitFor(start());
  ReplayFill(9);
  std::printf("parent used CUDA before and after\n");
  return code;
}

// The daemon holds the writing end of a pipe until it ends.
int Daemon() {
  int alive[2];
  if (pipe(alive) != 0) return 1;
  const pid_t pid = fork();
  if (pid == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    close(alive[0]);
    StartCuda();
    ReplayFill(6);
    std::exit(write(alive[1], "6", 1) == 1 ? 0 : 1);
  }
  close(alive[1]);
  char said = '0';
  const bool done = WaitFor(pid) == 0 && read(alive[0], &said, 1) == 1 && said == '6';
  while (read(alive[0], &said, 1) > 0) {
  }
  std::printf("daemon used CUDA\n");
  return done ? 0 : 1;
}

int Run(std::string_view when) {
  if (when == "before") return Before();
  if (when == "after") return After();
  if (when == "exec") return Become(ForkExec);
  if (when == "vfork") return Become(VforkExec);
  if (when == "spawn") return Become(Spawn);
  if (when == "daemon") return Daemon();
  if (when == "alone") return Alone();
  std::fprintf(stderr, "forks: usage: forks before|after|exec|vfork|spawn|daemon|alone\n");
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  const int code = Run(argc == 2 ? argv[1] : "");
  if (code != 0) std::fprintf(stderr, "forks: the child ended with %d\n", code);
  return code == 0 ? 0 : 1;
}
