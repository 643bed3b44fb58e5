// Many short-lived graphs: captured, instantiated, launched twice, destroyed.
//   many_graphs [--graphs N] [--alive N] [--replays N] [--updates N]
// --graphs: how many in all (10000). --alive: how many at once (1). --replays: of each (2).
// --updates: how often each is updated to a new capture and launched as often again (0).
// Prints as JSON what it used: its own peak resident memory, and the device memory taken at the
// peak and at the end, beyond what was taken before the first graph; both at each tenth of the way.
// Exit 1 if a value is wrong, 2 for bad arguments.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/numbers.h"

__global__ void add_one(unsigned* data, unsigned words) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) data[i] += 1;
}

__global__ void triple(const unsigned* in, unsigned* out, unsigned words) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) out[i] = in[i] * 3;
}

namespace {

constexpr unsigned kWords = 256, kBlock = 64;

struct Options {
  unsigned graphs = 10000, alive = 1, replays = 2, updates = 0;
};

// What the process and the device have taken at a moment.
struct Taken {
  long long resident_kib, device_bytes;
};

long long ResidentKib() {
  long long size = 0, pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  const bool read = std::fscanf(file, "%lld %lld", &size, &pages) == 2;
  std::fclose(file);
  return read ? pages * sysconf(_SC_PAGESIZE) / 1024 : 0;
}

size_t FreeBytes() {
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  return free_bytes;
}

class Job {
 public:
  Job() {
    for (unsigned** data : {&counts_, &tripled_}) {
      CHECK(cudaMalloc(data, kWords * sizeof(unsigned)));
      CHECK(cudaMemset(*data, 0, kWords * sizeof(unsigned)));
    }
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    // Kernels take memory when they are launched first.
    add_one<<<1, 1, 0, stream_>>>(counts_, 0);
    triple<<<1, 1, 0, stream_>>>(counts_, tripled_, 0);
    CHECK(cudaDeviceSynchronize());  // the stream does not wait for the legacy one
    free_before_ = least_free_ = FreeBytes();
  }
  ~Job() {
    CHECK(cudaStreamDestroy(stream_));
    CHECK(cudaFree(counts_));
    CHECK(cudaFree(tripled_));
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void RunGroup(unsigned alive, unsigned replays, unsigned updates) {
    std::vector<cudaGraphExec_t> group;
    for (unsigned i = 0; i < alive; ++i) group.push_back(Make());
    Launch(group, replays);
    for (unsigned update = 0; update < updates; ++update) {
      for (const cudaGraphExec_t executable : group) Update(executable);
      Launch(group, replays);
    }
    least_free_ = std::min(least_free_, FreeBytes());
    for (const cudaGraphExec_t executable : group) CHECK(cudaGraphExecDestroy(executable));
  }

  void NoteTaken() { taken_.push_back({ResidentKib(), Missing(FreeBytes())}); }

  void ExpectAll() const {
    std::vector<unsigned> host(kWords);
    CHECK(cudaMemcpy(host.data(), tripled_, kWords * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (const unsigned seen : host) jobs::Expect(seen == 3 * launched_, "all launches", seen);
  }

  void Report(const Options& options) const {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf(
        "{\"graphs\":%u,\"alive\":%u,\"replays\":%u,\"peak_rss_kib\":%ld,"
        "\"device_bytes_peak\":%lld,\"device_bytes_end\":%lld,\"taken\":[",
        options.graphs, options.alive, options.replays, usage.ru_maxrss, Missing(least_free_),
        Missing(FreeBytes()));
    const char* separator = "";
    for (const Taken& taken : taken_) {
      std::printf("%s[%lld,%lld]", separator, taken.resident_kib, taken.device_bytes);
      separator = ",";
    }
    std::printf("]}\n");
  }

 private:
  long long Missing(size_t free_bytes) const {
    return static_cast<long long>(free_before_) - static_cast<long long>(free_bytes);
  }

  void Launch(const std::vector<cudaGraphExec_t>& group, unsigned replays) {
    for (unsigned r = 0; r < replays; ++r) {
      for (const cudaGraphExec_t executable : group) CHECK(cudaGraphLaunch(executable, stream_));
    }
    CHECK(cudaStreamSynchronize(stream_));
    launched_ += static_cast<unsigned>(group.size()) * replays;
  }

  void Update(cudaGraphExec_t executable) {
    cudaGraph_t graph = Capture();
    cudaGraphExecUpdateResultInfo info{};
    CHECK(cudaGraphExecUpdate(executable, graph, &info));
    CHECK(cudaGraphDestroy(graph));
  }

  cudaGraph_t Capture() {
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    add_one<<<kWords / kBlock, kBlock, 0, stream_>>>(counts_, kWords);
    triple<<<kWords / kBlock, kBlock, 0, stream_>>>(counts_, tripled_, kWords);
    CHECK(cudaStreamEndCapture(stream_, &graph));
    return graph;
  }

  cudaGraphExec_t Make() {
    cudaGraph_t graph = Capture();
    cudaGraphExec_t executable = nullptr;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return executable;
  }

  unsigned* counts_ = nullptr;
  unsigned* tripled_ = nullptr;
  cudaStream_t stream_ = nullptr;
  unsigned launched_ = 0;
  size_t free_before_ = 0, least_free_ = 0;
  std::vector<Taken> taken_;
};

Options Parse(int argc, char** argv) {
  Options options;
  jobs::ReadNumbers(argc, argv, "many_graphs [--graphs N] [--alive N] [--replays N] [--updates N]",
                    10000000,
                    {{"--graphs", &options.graphs},
                     {"--alive", &options.alive},
                     {"--replays", &options.replays},
                     {"--updates", &options.updates}});
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  Job job;
  const unsigned tenth = std::max(options.graphs / 10, 1u);
  unsigned due = tenth;
  for (unsigned made = 0; made < options.graphs;) {
    const unsigned alive = std::min(options.alive, options.graphs - made);
    job.RunGroup(alive, options.replays, options.updates);
    made += alive;
    if (made < due) continue;
    job.NoteTaken();
    due = (made / tenth + 1) * tenth;
  }
  job.ExpectAll();
  job.Report(options);
}
