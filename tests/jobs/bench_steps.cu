// What a replay and its launch call cost: a chain of short kernels in one graph, timed in rounds.
//   bench_steps [--kernels N] [--bytes N] [--buffers N] [--direct N] [--warm N] [--rounds N]
//               [--replays N]
// --kernels 200, --bytes 65536 that each reads and writes, --buffers 8 that they take turns with.
// --direct 100: launches outside the graph that come first; they set the speed of the process'
// graphs for the rest of its life. --warm 50: replays before the first round. --rounds 9, --replays
// 100 of each: round k (from 0) is replays warm + k * replays + 1 to warm + (k + 1) * replays, so
// that a choice of replays for probes can take every second round.
// Prints JSON: for each round the time of a replay and the median time of the launch call, in us.
// Exit 2 for bad arguments.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "tests/jobs/cuda_check.h"

__global__ void scale_add(const float* in, float* out, size_t count, float a, float b) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    out[i] = in[i] * a + b;
  }
}

namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

struct Options {
  unsigned kernels = 200, bytes = 65536, buffers = 8, direct = 100, warm = 50, rounds = 9,
           replays = 100;
};

struct Round {
  double replay_us, launch_us;
};

class Chain {
 public:
  explicit Chain(const Options& options)
      : count_(options.bytes / sizeof(float)), buffers_(options.buffers) {
    for (float*& buffer : buffers_) {
      CHECK(cudaMalloc(&buffer, options.bytes));
      CHECK(cudaMemset(buffer, 0, options.bytes));
    }
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());  // the stream does not wait for the legacy one
    for (unsigned i = 0; i < options.direct; ++i) {
      scale_add<<<1, 32, 0, stream_>>>(buffers_[0], buffers_[0], 0, 0, 0);
    }
    CHECK(cudaStreamSynchronize(stream_));
    Capture(options.kernels);
  }
  ~Chain() {
    CHECK(cudaGraphExecDestroy(executable_));
    CHECK(cudaStreamDestroy(stream_));
    for (float* buffer : buffers_) CHECK(cudaFree(buffer));
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  Round Run(unsigned replays) {
    std::vector<double> launches;
    launches.reserve(replays);
    const auto start = Clock::now();
    auto before = start;
    for (unsigned i = 0; i < replays; ++i) {
      CHECK(cudaGraphLaunch(executable_, stream_));
      const auto after = Clock::now();
      launches.push_back(Microseconds(after - before).count());
      before = after;
    }
    CHECK(cudaStreamSynchronize(stream_));
    const double total = Microseconds(Clock::now() - start).count();
    std::nth_element(launches.begin(), launches.begin() + replays / 2, launches.end());
    return {total / replays, launches[replays / 2]};
  }

  double Checksum(unsigned kernels) const {
    std::vector<float> host(count_);
    CHECK(cudaMemcpy(host.data(), buffers_[(kernels - 1) % buffers_.size()], count_ * sizeof(float),
                     cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const float value : host) sum += value;
    return sum;
  }

 private:
  void Capture(unsigned kernels) {
    cudaGraph_t graph = nullptr;
    const size_t blocks = std::clamp<size_t>(count_ / 1024, 1, 1024), last = buffers_.size() - 1;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    for (unsigned i = 0; i < kernels; ++i) {
      scale_add<<<static_cast<unsigned>(blocks), 256, 0, stream_>>>(
          buffers_[(i + last) % buffers_.size()], buffers_[i % buffers_.size()], count_, 0.999f,
          0.001f * static_cast<float>(i % 7));
    }
    CHECK(cudaStreamEndCapture(stream_, &graph));
    CHECK(cudaGraphInstantiate(&executable_, graph, 0));
    CHECK(cudaGraphDestroy(graph));
  }

  size_t count_;
  std::vector<float*> buffers_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

[[noreturn]] void Usage() {
  std::fprintf(stderr,
               "bench_steps [--kernels N] [--bytes N] [--buffers N] [--direct N] [--warm N] "
               "[--rounds N] [--replays N], N from 1 to 1000000000, bytes from 4\n");
  std::exit(2);
}

Options Parse(int argc, char** argv) {
  Options options;
  const std::map<std::string_view, unsigned*> known = {
      {"--kernels", &options.kernels}, {"--bytes", &options.bytes}, {"--buffers", &options.buffers},
      {"--direct", &options.direct},   {"--warm", &options.warm},   {"--rounds", &options.rounds},
      {"--replays", &options.replays},
  };
  for (int i = 1; i < argc; i += 2) {
    const auto found = known.find(argv[i]);
    char* end = nullptr;
    const unsigned long number = i + 1 < argc ? std::strtoul(argv[i + 1], &end, 10) : 0;
    if (found == known.end() || number < 1 || number > 1000000000 || *end != '\0') Usage();
    *found->second = static_cast<unsigned>(number);
  }
  if (options.bytes < sizeof(float)) Usage();
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  Chain chain(options);
  chain.Run(options.warm);
  std::vector<Round> rounds;
  for (unsigned i = 0; i < options.rounds; ++i) rounds.push_back(chain.Run(options.replays));
  std::printf("{\"kernels\":%u,\"bytes\":%u,\"warm\":%u,\"replays\":%u,\"checksum\":%.9g,",
              options.kernels, options.bytes, options.warm, options.replays,
              chain.Checksum(options.kernels));
  std::printf("\"replay_us\":[");
  for (const Round& round : rounds) {
    std::printf("%s%.3f", &round == rounds.data() ? "" : ",", round.replay_us);
  }
  std::printf("],\"launch_us\":[");
  for (const Round& round : rounds) {
    std::printf("%s%.3f", &round == rounds.data() ? "" : ",", round.launch_us);
  }
  std::printf("]}\n");
}
