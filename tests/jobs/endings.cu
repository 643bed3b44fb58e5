// Ends a process while launches are in flight, in ways that programs do.
//   endings <way> [--replays N] [--truth FILE]
// return:  main returns right after the last launch, nothing is waited for
// exit:    the same, with exit() inside a function whose caller never goes on
// _exit, quick_exit, abort, kill, throw: the same with _exit(5), quick_exit(6), abort(), SIGKILL,
// an
//          exception that nobody catches
// handler: _exit(7) in a signal handler, which interrupts a thread that allocates without end
// thread:  exit() by a second thread, while main waits for it
// main_exit: main has left by pthread_exit before a second thread launches and calls exit()
// exec:    the process becomes `endings return` (with the same --replays)
// exec_fails: it tries to become a program that is not there, launches the last replay, returns
// forks:   children, by fork and by vfork, leave by _exit or fail to exec between the launches
// endless: the last replay holds a kernel that never ends; main returns without waiting
// endless_exit: the same with exit()
// Each replay writes what its number is worth; --truth: as JSON lines, written before the launches,
// for the replays whose kernels end. Exit 0, unless the way says otherwise; 2 for bad arguments.
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "tests/jobs/cuda_check.h"

__global__ void advance(unsigned* state, unsigned words, unsigned step) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) state[i] += step + i;
}

// Ends when *go is not 0, which `last` replays wait for in vain.
__global__ void wait_for(const volatile unsigned* go) {
  while (*go == 0) {
  }
}

namespace {

constexpr unsigned kWords = 33, kBlock = 64, kStep = 5;

struct Options {
  std::string_view way;
  unsigned replays = 10;
  const char* truth = nullptr;

  bool Endless() const { return way == "endless" || way == "endless_exit"; }
};

constexpr std::array<std::string_view, 15> kWays = {
    "return", "exit",      "_exit", "quick_exit", "abort", "kill",    "throw",       "handler",
    "thread", "main_exit", "exec",  "exec_fails", "forks", "endless", "endless_exit"};

[[noreturn]] void Usage() {
  std::fprintf(stderr, "endings WAY [--replays N] [--truth FILE]; ways:");
  for (const auto way : kWays) std::fprintf(stderr, " %s", std::string(way).c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

Options Parse(int argc, char** argv) {
  Options options;
  if (argc < 2 || argc % 2 != 0) Usage();
  options.way = argv[1];
  if (std::find(kWays.begin(), kWays.end(), options.way) == kWays.end()) Usage();
  for (int i = 2; i < argc; i += 2) {
    char* end = nullptr;
    const unsigned long number = std::strtoul(argv[i + 1], &end, 10);
    if (std::string_view(argv[i]) == "--truth") {
      options.truth = argv[i + 1];
    } else if (std::string_view(argv[i]) == "--replays" && *end == '\0' && number >= 1 &&
               number <= 1000000) {
      options.replays = static_cast<unsigned>(number);
    } else {
      Usage();
    }
  }
  return options;
}

// The state is advanced behind the kernel that may wait: the endless replay leaves it as it was.
struct Job {
  unsigned* state = nullptr;
  unsigned* go = nullptr;  // host memory, mapped
  cudaStream_t stream = nullptr;
  cudaGraphExec_t executable = nullptr;
};

Job Make() {
  Job job;
  cudaGraph_t graph = nullptr;
  unsigned* go = nullptr;
  CHECK(cudaMalloc(&job.state, kWords * sizeof(unsigned)));
  CHECK(cudaMemset(job.state, 0, kWords * sizeof(unsigned)));
  CHECK(cudaHostAlloc(&job.go, sizeof(unsigned), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&go, job.go, 0));
  *job.go = 1;
  CHECK(cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());  // the stream does not wait for the legacy one
  CHECK(cudaStreamBeginCapture(job.stream, cudaStreamCaptureModeGlobal));
  wait_for<<<1, 1, 0, job.stream>>>(go);
  advance<<<1, kBlock, 0, job.stream>>>(job.state, kWords, kStep);
  CHECK(cudaStreamEndCapture(job.stream, &graph));
  CHECK(cudaGraphInstantiate(&job.executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return job;
}

void WriteTruth(const Options& options) {
  if (options.truth == nullptr) return;
  std::FILE* file = std::fopen(options.truth, "w");
  jobs::Expect(file != nullptr, "a truth file that can be written", 0);
  const unsigned ends = options.replays - (options.Endless() ? 1 : 0);
  for (unsigned replay = 1; replay <= ends; ++replay) {
    std::fprintf(file,
                 "{\"executable\":0,\"replay\":%u,\"name\":\"advance\",\"occurrence\":0,"
                 "\"operand\":\"arg0\",\"words\":[",
                 replay);
    for (unsigned i = 0; i < kWords; ++i) {
      std::fprintf(file, i == 0 ? "%u" : ",%u", replay * (kStep + i));
    }
    std::fprintf(file, "]}\n");
  }
  std::fprintf(file, "{\"executable\":0,\"replays\":%u}\n", options.replays);
  jobs::Expect(std::fclose(file) == 0, "a truth file that can be written", 1);
}

// A child that does nothing of its own: it must leave the parent's recording alone.
void LeaveInChildren() {
  static const char* const no_arguments[] = {"none", nullptr};
  const auto wait_for = [](pid_t child, int code) {
    int status = 0;
    jobs::Expect(waitpid(child, &status, 0) == child && WIFEXITED(status), "a child that ends", 0);
    jobs::Expect(WEXITSTATUS(status) == code, "the child's exit code", WEXITSTATUS(status));
  };
  pid_t child = fork();
  if (child == 0) _exit(3);
  wait_for(child, 3);
  child = vfork();
  if (child == 0) {
    execv("/no/such/program", const_cast<char* const*>(no_arguments));
    _exit(4);
  }
  wait_for(child, 4);
  const char* const arguments[] = {"true", nullptr};
  jobs::Expect(posix_spawnp(&child, "true", nullptr, nullptr, const_cast<char* const*>(arguments),
                            environ) == 0,
               "a child that is spawned", 0);
  wait_for(child, 0);
}

void Launch(const Options& options, const Job& job) {
  for (unsigned replay = 1; replay < options.replays; ++replay) {
    CHECK(cudaGraphLaunch(job.executable, job.stream));
    if (options.way == "forks") LeaveInChildren();
  }
  if (options.Endless()) {
    CHECK(cudaStreamSynchronize(job.stream));
    *job.go = 0;
  }
  if (options.way == "exec_fails") {
    const int result = execl("/no/such/program", "none", static_cast<char*>(nullptr));
    jobs::Expect(result == -1 && errno == ENOENT, "an exec that fails", errno);
  }
  CHECK(cudaGraphLaunch(job.executable, job.stream));
  std::printf("%u replays launched\n", options.replays);
  std::fflush(stdout);
}

[[noreturn]] void LeaveInHandler() {
  signal(SIGALRM, [](int) { _exit(7); });
  ualarm(1000, 0);
  static void* volatile memory = nullptr;
  for (;;) {
    memory = std::malloc(100);
    std::free(memory);
  }
}

[[noreturn]] void Become(const Options& options) {
  const std::string replays = std::to_string(options.replays);
  execl("/proc/self/exe", "endings", "return", "--replays", replays.c_str(),
        static_cast<char*>(nullptr));
  std::perror("endings: execl");
  std::exit(1);
}

void Leave(const Options& options) {
  const std::string_view way = options.way;
  if (way == "exit" || way == "endless_exit" || way == "thread" || way == "main_exit") std::exit(0);
  if (way == "_exit") _exit(5);
  if (way == "quick_exit") std::quick_exit(6);
  if (way == "abort") std::abort();
  if (way == "kill") raise(SIGKILL);
  if (way == "throw") throw std::runtime_error("nobody catches it");
  if (way == "handler") LeaveInHandler();
  if (way == "exec") Become(options);
}

}  // namespace

int main(int argc, char** argv) {
  static const Options options = Parse(argc, argv);
  WriteTruth(options);
  static const Job job = Make();
  const auto work = [] {
    Launch(options, job);
    Leave(options);
  };
  if (options.way == "thread") std::thread(work).join();
  if (options.way == "main_exit") {
    std::thread([work, main = pthread_self()] {
      pthread_join(main, nullptr);
      work();
    }).detach();
    pthread_exit(nullptr);
  }
  work();
  return 0;
}
