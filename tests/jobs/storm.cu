// Many threads that at once allocate, capture in all three modes, instantiate, launch, change,
// update and destroy, on every device, some in contexts of their own. A capture of the global mode
// forbids what other threads of that mode do meanwhile, and is broken by it: both are expected,
// counted, and tried again. With --unbroken 1 no thread breaks another's capture: driver 580
// crashes without it.
//   storm [--threads N] [--seconds N] [--unbroken 1]
// Prints "storm ok"; on stderr how often what was done. Exit 1: a value is wrong, or something was
// never done; 2: bad arguments.
#include <cuda.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/numbers.h"

__global__ void storm_add(unsigned* data, unsigned words, unsigned value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) data[i] += value;
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kWords = 40, kNodes = 3, kSharedPerDevice = 3;
constexpr std::array kModes = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                               cudaStreamCaptureModeRelaxed};

struct Counts {
  std::array<std::atomic<unsigned>, kModes.size()> captures{};
  std::atomic<unsigned> broken = 0, refused = 0, launches = 0, changes = 0, updates = 0;
} counts;

struct Options {
  unsigned threads = 64, seconds = 2, unbroken = 0;
};

// What another thread's capture of the global mode does to a call of this one.
bool IsRefused(cudaError_t result) {
  if (result != cudaErrorStreamCaptureUnsupported && result != cudaErrorStreamCaptureImplicit) {
    return false;
  }
  cudaGetLastError();
  ++counts.refused;
  return true;
}

// Until no capture forbids it.
template <typename Call>
void Insist(Call call) {
  cudaError_t result = call();
  while (IsRefused(result)) {
    std::this_thread::yield();
    result = call();
  }
  CHECK(result);
}

class Buffer {
 public:
  explicit Buffer(cudaStream_t stream) {
    Insist([&] { return cudaMalloc(&data_, kBytes); });
    Insist([&] { return cudaMallocHost(&host_, kBytes); });
    CHECK(cudaMemsetAsync(data_, 0, kBytes, stream));
  }
  ~Buffer() {
    Insist([&] { return cudaFree(data_); });
    Insist([&] { return cudaFreeHost(host_); });
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  unsigned* data() const { return data_; }

  // `stream` comes behind all that writes to the buffer.
  void ExpectAll(unsigned value, cudaStream_t stream) const {
    CHECK(cudaMemcpyAsync(host_, data_, kBytes, cudaMemcpyDeviceToHost, stream));
    Insist([&] { return cudaStreamSynchronize(stream); });
    for (unsigned i = 0; i < kWords; ++i) jobs::Expect(host_[i] == value, "another sum", host_[i]);
  }

 private:
  static constexpr size_t kBytes = kWords * sizeof(unsigned);
  unsigned* data_ = nullptr;
  unsigned* host_ = nullptr;
};

using Values = std::array<unsigned, kNodes>;

unsigned Sum(const Values& values) { return values[0] + values[1] + values[2]; }

// A captured graph; nullptr if another thread broke the capture.
cudaGraph_t Capture(unsigned* data, const Values& values, cudaStream_t stream, unsigned mode) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, kModes[mode]));
  for (const unsigned value : values) storm_add<<<1, kWords, 0, stream>>>(data, kWords, value);
  cudaGetLastError();  // what a broken capture says to a launch, its end says too
  const cudaError_t result = cudaStreamEndCapture(stream, &graph);
  if (result == cudaErrorStreamCaptureInvalidated) {
    cudaGetLastError();
    ++counts.broken;
    return nullptr;
  }
  CHECK(result);
  ++counts.captures[mode];
  return graph;
}

// An executable of a chain of kernels that add to a buffer.
class Chain {
 public:
  Chain(unsigned* data, cudaGraph_t graph, const Values& values)
      : data_(data), graph_(graph), values_(values) {
    size_t count = nodes_.size();
    CHECK(cudaGraphGetNodes(graph_, nodes_.data(), &count));
    Insist([&] { return cudaGraphInstantiate(&executable_, graph_, 0); });
  }
  // Also while its last launch is still to run.
  ~Chain() {
    Insist([&] { return cudaGraphExecDestroy(executable_); });
    CHECK(cudaGraphDestroy(graph_));
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // Returns what it adds.
  unsigned Launch(cudaStream_t stream) {
    CHECK(cudaGraphLaunch(executable_, stream));
    ++counts.launches;
    return Sum(values_);
  }

  void Set(unsigned position, unsigned value) {
    unsigned words = kWords;
    void* arguments[] = {&data_, &words, &value};
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(&storm_add);
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(kWords);
    parameters.kernelParams = arguments;
    Insist([&] {
      return cudaGraphExecKernelNodeSetParams(executable_, nodes_[position], &parameters);
    });
    values_[position] = value;
    ++counts.changes;
  }

  // Takes the graph; nullptr changes nothing.
  void Update(cudaGraph_t incoming, const Values& values) {
    if (incoming == nullptr) return;
    cudaGraphExecUpdateResultInfo info{};
    Insist([&] { return cudaGraphExecUpdate(executable_, incoming, &info); });
    CHECK(cudaGraphDestroy(incoming));
    values_ = values;
    ++counts.updates;
  }

 private:
  unsigned* data_;
  cudaGraph_t graph_;
  std::array<cudaGraphNode_t, kNodes> nodes_{};
  Values values_;
  cudaGraphExec_t executable_ = nullptr;
};

// An executable that all threads of a device launch, on streams of their own; the lock covers its
// changes, its launch and its sum.
struct Shared {
  explicit Shared(cudaStream_t stream)
      : buffer(stream),
        chain(buffer.data(), Capture(buffer.data(), {1, 2, 3}, stream, 2), {1, 2, 3}) {
    CHECK(cudaStreamSynchronize(stream));
  }
  std::mutex mutex;
  Buffer buffer;
  Chain chain;
  unsigned sum = 0;
};

struct Device {
  explicit Device(int number) : ordinal(number) {
    CHECK(cudaSetDevice(ordinal));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (unsigned i = 0; i < kSharedPerDevice; ++i) {
      shared.push_back(std::make_unique<Shared>(stream));
    }
  }
  void Check() const {
    CHECK(cudaSetDevice(ordinal));
    CHECK(cudaDeviceSynchronize());
    for (const auto& one : shared) one->buffer.ExpectAll(one->sum, stream);
  }
  int ordinal;
  cudaStream_t stream = nullptr;
  std::vector<std::unique_ptr<Shared>> shared;
};

class Worker {
 public:
  // One in eight has a context of its own; three in four are no concern of others' captures.
  Worker(unsigned number, Device& device, bool unbroken)
      : number_(number), device_(device), own_context_(number % 8 == 7) {
    CHECK(cudaSetDevice(device.ordinal));
    auto mode =
        !unbroken && number % 4 == 0 ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeRelaxed;
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    if (own_context_) MakeContext();
    Insist([&] { return cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); });
  }
  ~Worker() {
    Insist([&] { return cudaStreamSynchronize(stream_); });
    Insist([&] { return cudaStreamDestroy(stream_); });
    if (own_context_) jobs::Expect(cuCtxDestroy(context_) == CUDA_SUCCESS, "a context to end", 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Run(Clock::time_point end) {
    for (unsigned round = 0; round == 0 || Clock::now() < end; ++round) RunRound(round);
  }

 private:
  void MakeContext() {
    CUdevice device = 0;
    CUctxCreateParams parameters{};
    jobs::Expect(cuDeviceGet(&device, device_.ordinal) == CUDA_SUCCESS, "a device", 0);
    const CUresult made = cuCtxCreate(&context_, &parameters, 0, device);
    jobs::Expect(made == CUDA_SUCCESS, "a context", made);
  }

  void RunRound(unsigned round) {
    const Buffer buffer(stream_);
    const unsigned mode = (number_ + round) % kModes.size();
    const Values first = {number_, round, 1}, second = {round, number_, 7};
    unsigned sum = 0;
    if (cudaGraph_t graph = Capture(buffer.data(), first, stream_, mode)) {
      Chain chain(buffer.data(), graph, first);
      sum += chain.Launch(stream_);
      chain.Set(round % kNodes, 10 * round + number_);
      sum += chain.Launch(stream_);
      chain.Update(Capture(buffer.data(), second, stream_, (mode + 1) % kModes.size()), second);
      sum += chain.Launch(stream_);
      if (!own_context_) LaunchShared(round);
      sum += chain.Launch(stream_);
    }
    buffer.ExpectAll(sum, stream_);
  }

  void LaunchShared(unsigned round) {
    Shared& shared = *device_.shared[(number_ + round) % kSharedPerDevice];
    const std::lock_guard lock(shared.mutex);
    shared.chain.Set(number_ % kNodes, 100 * round + number_);
    shared.sum += shared.chain.Launch(stream_);
  }

  unsigned number_;
  Device& device_;
  bool own_context_;
  CUcontext context_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

void RunAll(const Options& options) {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < count; ++i) devices.push_back(std::make_unique<Device>(i));
  const auto end = Clock::now() + std::chrono::seconds(options.seconds);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < options.threads; ++number) {
    threads.emplace_back([&, number] {
      Device& device = *devices[number / 2 % devices.size()];
      Worker(number, device, options.unbroken != 0).Run(end);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& device : devices) device->Check();
}

Options Parse(int argc, char** argv) {
  Options options;
  jobs::ReadNumbers(argc, argv, "storm [--threads N] [--seconds N] [--unbroken 1]", 100000,
                    {{"--threads", &options.threads},
                     {"--seconds", &options.seconds},
                     {"--unbroken", &options.unbroken}});
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  RunAll(Parse(argc, argv));
  for (const auto& captured : counts.captures) jobs::Expect(captured > 0, "captures", captured);
  jobs::Expect(counts.changes > 0 && counts.updates > 0, "changes and updates", counts.updates);
  std::fprintf(stderr, "%u captures (%u global), %u broken, %u calls refused, %u launches\n",
               counts.captures[0] + counts.captures[1] + counts.captures[2],
               counts.captures[0].load(), counts.broken.load(), counts.refused.load(),
               counts.launches.load());
  std::printf("storm ok\n");
}
