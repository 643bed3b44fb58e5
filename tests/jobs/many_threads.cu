// Many threads that capture, instantiate, launch, change, update and destroy at the same time: each
// its own graphs, and all of them some executables that they share under locks.
//   many_threads [--threads N] [--rounds N]
// Prints "many_threads ok <launches>". Exit 1 if a value is wrong, 2 for bad arguments.
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/numbers.h"

__global__ void add_to(unsigned* data, unsigned words, unsigned value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) data[i] += value;
}

namespace {

constexpr unsigned kWords = 48, kShared = 5, kRenewal = 3;

std::atomic<unsigned> launches = 0;

struct Options {
  unsigned threads = 64, rounds = 12;
};

class Buffer {
 public:
  Buffer() {
    CHECK(cudaMalloc(&data_, kWords * sizeof(unsigned)));
    CHECK(cudaMemset(data_, 0, kWords * sizeof(unsigned)));
    CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  }
  ~Buffer() { CHECK(cudaFree(data_)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  unsigned* get() const { return data_; }
  // By a copy on the stream, which must have waited for all that writes to the buffer.
  void ExpectAll(unsigned value, cudaStream_t stream) const {
    std::array<unsigned, kWords> host{};
    CHECK(cudaMemcpyAsync(host.data(), data_, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (const unsigned seen : host) jobs::Expect(seen == value, "another sum", seen);
  }

 private:
  unsigned* data_ = nullptr;
};

// A captured chain of three kernels that add values[0], values[1], values[2].
class Chain {
 public:
  using Values = std::array<unsigned, 3>;

  Chain(unsigned* data, const Values& values, cudaStream_t stream, cudaStreamCaptureMode mode)
      : data_(data), values_(values), graph_(Capture(values, stream, mode)) {
    size_t count = nodes_.size();
    CHECK(cudaGraphGetNodes(graph_, nodes_.data(), &count));
    CHECK(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  ~Chain() {
    CHECK(cudaGraphExecDestroy(executable_));
    CHECK(cudaGraphDestroy(graph_));
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // Returns what the launch adds to each word.
  unsigned Launch(cudaStream_t stream) {
    CHECK(cudaGraphLaunch(executable_, stream));
    ++launches;
    return values_[0] + values_[1] + values_[2];
  }

  void Set(unsigned position, unsigned value) {
    unsigned words = kWords;
    void* arguments[] = {&data_, &words, &value};
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(&add_to);
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(kWords);
    parameters.kernelParams = arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(executable_, nodes_[position], &parameters));
    values_[position] = value;
  }

  void Update(const Values& values, cudaStream_t stream, cudaStreamCaptureMode mode) {
    cudaGraph_t incoming = Capture(values, stream, mode);
    cudaGraphExecUpdateResultInfo info{};
    CHECK(cudaGraphExecUpdate(executable_, incoming, &info));
    CHECK(cudaGraphDestroy(incoming));
    values_ = values;
  }

 private:
  cudaGraph_t Capture(const Values& values, cudaStream_t stream, cudaStreamCaptureMode mode) {
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream, mode));
    for (const unsigned value : values) add_to<<<1, kWords, 0, stream>>>(data_, kWords, value);
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
  }

  unsigned* data_;
  Values values_;
  cudaGraph_t graph_;
  std::array<cudaGraphNode_t, 3> nodes_{};
  cudaGraphExec_t executable_ = nullptr;
};

// An executable that all threads launch; the lock covers its changes, its launch and its sum. CUDA
// orders the launches of one executable, whatever their streams.
struct Shared {
  explicit Shared(cudaStream_t stream)
      : chain(buffer.get(), {1, 2, 3}, stream, cudaStreamCaptureModeThreadLocal) {}
  std::mutex mutex;
  Buffer buffer;
  Chain chain;
  unsigned sum = 0;
};

class Worker {
 public:
  Worker(unsigned number, std::vector<std::unique_ptr<Shared>>& shared)
      : number_(number), shared_(shared) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~Worker() { CHECK(cudaStreamDestroy(stream_)); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Run(unsigned rounds) {
    for (unsigned round = 0; round < rounds; round += kRenewal) RunOwn(round);
    CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  // Some rounds with a graph and a buffer of its own.
  void RunOwn(unsigned first_round) {
    const Buffer buffer;
    const auto mode =
        number_ % 2 == 0 ? cudaStreamCaptureModeThreadLocal : cudaStreamCaptureModeRelaxed;
    Chain chain(buffer.get(), {number_, 1, 2}, stream_, mode);
    unsigned sum = 0;
    for (unsigned round = first_round; round < first_round + kRenewal; ++round) {
      sum += chain.Launch(stream_);
      chain.Set(round % 3, 10 * round + number_);
      sum += chain.Launch(stream_);
      chain.Update({round, number_, 7}, stream_, mode);
      sum += chain.Launch(stream_);
      RunShared(round);
    }
    buffer.ExpectAll(sum, stream_);
  }

  void RunShared(unsigned round) {
    Shared& shared = *shared_[(number_ + round) % kShared];
    const std::lock_guard lock(shared.mutex);
    shared.chain.Set(number_ % 3, 100 * round + number_);
    shared.sum += shared.chain.Launch(stream_);
  }

  unsigned number_;
  std::vector<std::unique_ptr<Shared>>& shared_;
  cudaStream_t stream_ = nullptr;
};

void RunAll(const Options& options) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<std::unique_ptr<Shared>> shared;
  for (unsigned i = 0; i < kShared; ++i) shared.push_back(std::make_unique<Shared>(stream));
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < options.threads; ++number) {
    threads.emplace_back([&, number] { Worker(number, shared).Run(options.rounds); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(cudaDeviceSynchronize());
  for (const auto& one : shared) one->buffer.ExpectAll(one->sum, stream);
  CHECK(cudaStreamDestroy(stream));
}

Options Parse(int argc, char** argv) {
  Options options;
  jobs::ReadNumbers(argc, argv, "many_threads [--threads N] [--rounds N]", 100000,
                    {{"--threads", &options.threads}, {"--rounds", &options.rounds}});
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  RunAll(options);
  std::printf("many_threads ok %u\n", launches.load());
}
