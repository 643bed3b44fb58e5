// Ends a process while launches are in flight, in ways that programs do.
//   endings <way> [--replays N] [--truth FILE]
// return:  main returns right after the last launch, nothing is waited for
// exit:    the same, with exit() inside a function whose caller never goes on
// endless: the last replay holds a kernel that never ends; main returns without waiting
// endless_exit: the same with exit()
// Each replay writes what its number is worth; --truth: as JSON lines, written before the launches,
// for the replays whose kernels end. Exit 0; 2 for bad arguments.
#include <cstdlib>
#include <string_view>

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
  bool Exits() const { return way == "exit" || way == "endless_exit"; }
};

[[noreturn]] void Usage() {
  std::fprintf(stderr, "endings return|exit|endless|endless_exit [--replays N] [--truth FILE]\n");
  std::exit(2);
}

Options Parse(int argc, char** argv) {
  Options options;
  if (argc < 2 || argc % 2 != 0) Usage();
  options.way = argv[1];
  if (options.way != "return" && !options.Exits() && !options.Endless()) Usage();
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

void LaunchAll(const Options& options) {
  const Job job = Make();
  for (unsigned replay = 1; replay < options.replays; ++replay) {
    CHECK(cudaGraphLaunch(job.executable, job.stream));
  }
  if (options.Endless()) {
    CHECK(cudaStreamSynchronize(job.stream));
    *job.go = 0;
  }
  CHECK(cudaGraphLaunch(job.executable, job.stream));
  std::printf("%u replays launched\n", options.replays);
  if (options.Exits()) std::exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  WriteTruth(options);
  LaunchAll(options);
  return 0;
}
