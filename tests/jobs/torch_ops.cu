// A step of operators that launch kernels, captured into one graph under a stand-in for PyTorch
// (tests/jobs/torch_like), and replayed.
//   torch_ops [--eager] [--per-thread] [--warm] [--cross] [--leave] [--late] [--threads] [--plant]
//             [--truth FILE]
// --eager: no graph: each step runs in a range "step" of NVTX, operator by operator. --per-thread:
// it does on the thread's default stream.
// --warm: such steps run before the capture. --cross: one runs in a range "cross", which ends
// inside the capture. --leave: it ends by _exit, with all streams there.
// --late: the stand-in is loaded when CUDA is in use already. --threads: some operators capture on
// a second thread, while the first one waits.
// --plant: one operator calculates something else.
// --truth: writes what observations of the operators' tensors must be. Prints "torch_ops" and a
// checksum of all buffers. Exit 1: a call or a value is wrong, 2: bad arguments.
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/torch_like/load.h"
#include "tests/jobs/torch_ops/model.h"

namespace {

__device__ int Index() { return blockIdx.x * blockDim.x + threadIdx.x; }

}  // namespace

__global__ void scale_add(const float* from, float* to, int count, float factor, float value) {
  if (Index() < count) to[Index()] = from[Index()] * factor + value;
}
__global__ void add(const float* a, const float* b, float* to, int count) {
  if (Index() < count) to[Index()] = a[Index()] + b[Index()];
}
__global__ void add_to_each(float* a, float* b, float* c, int count, float value) {
  if (Index() >= count) return;
  a[Index()] += value;
  b[Index()] += value;
  c[Index()] += value;
}
__global__ void transpose(const float* from, float* to, int side) {
  if (Index() < side * side) to[Index() % side * side + Index() / side] = from[Index()];
}
__global__ void round_to_brief(const float* from, unsigned short* to, int count) {
  if (Index() < count) to[Index()] = __float_as_uint(from[Index()]) >> 16;
}

namespace {

using torch_ops::Arena;
using torch_ops::Floats;
using torch_ops::kCount;

constexpr unsigned kReplays = 5;

// On a stream, with the stand-in told.
class Device final : public torch_ops::Machine {
 public:
  Device(const torch_like::Functions& torch, cudaStream_t stream)
      : torch_(torch), stream_(stream) {}

  void BeginOp(const torch_ops::Start& start) override {
    torch_like::Call call{start.name, start.composite, stream_};
    call.backward = start.gradient != nullptr;
    call.sequence = start.sequence;
    call.thread = torch_ops::kForwardThread;
    if (call.backward) call.gradients.push_back({0, torch_ops::TensorOf(*start.gradient)});
    // Nodes of the backward pass and what is around them are no calls.
    call.range = call.backward || std::string_view(start.name).starts_with("autograd::");
    told_.push_back(torch_.begin(call));
  }
  void EndOp(const torch_like::Result& result) override {
    const torch_like::Observer* told = told_.back();
    told_.pop_back();
    torch_.end(told, result);
  }
  void Push(const char* range) override { nvtxRangePushA(range); }
  void Pop() override { nvtxRangePop(); }

  // What comes here comes behind what the other one has been given so far.
  void RunBehind(const Device& other) {
    if (stream_ == other.stream_) return;
    cudaEvent_t event = nullptr;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event, other.stream_));
    CHECK(cudaStreamWaitEvent(stream_, event, 0));
    CHECK(cudaEventDestroy(event));
  }

  void ScaleAdd(const Floats& from, Floats* to, float factor, float value) override {
    scale_add<<<1, kCount, 0, stream_>>>(from.at, to->at, kCount, factor, value);
    CHECK(cudaGetLastError());
  }
  void Add(const Floats& a, const Floats& b, Floats* to) override {
    add<<<1, kCount, 0, stream_>>>(a.at, b.at, to->at, kCount);
    CHECK(cudaGetLastError());
  }
  void AddToEach(Floats* arrays, float value) override {
    add_to_each<<<1, kCount, 0, stream_>>>(arrays[0].at, arrays[1].at, arrays[2].at, kCount, value);
    CHECK(cudaGetLastError());
  }
  void Transpose(const Floats& from, Floats* to) override {
    transpose<<<1, kCount, 0, stream_>>>(from.at, to->at, torch_ops::kSide);
    CHECK(cudaGetLastError());
  }
  void Round(const Floats& from, Arena::Brief* to) override {
    round_to_brief<<<1, kCount, 0, stream_>>>(from.at, to->at, kCount);
    CHECK(cudaGetLastError());
  }
  void Fill(Floats* to) override { CHECK(cudaMemsetAsync(to, 0, sizeof(*to), stream_)); }
  void Copy(const Floats& from, Floats* to) override {
    CHECK(cudaMemcpyAsync(to, &from, sizeof(*to), cudaMemcpyDefault, stream_));
  }

 private:
  const torch_like::Functions& torch_;
  cudaStream_t stream_;
  std::vector<const torch_like::Observer*> told_;
};

struct Options {
  bool eager = false, warm = false, cross = false, leave = false, late = false, threads = false;
  bool plant = false, per_thread = false;
  const char* truth = nullptr;
};

Options Parse(int argc, char** argv) {
  Options options;
  const std::map<std::string_view, bool*> switches = {
      {"--eager", &options.eager}, {"--warm", &options.warm},
      {"--cross", &options.cross}, {"--leave", &options.leave},
      {"--late", &options.late},   {"--threads", &options.threads},
      {"--plant", &options.plant}, {"--per-thread", &options.per_thread}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (const auto found = switches.find(word); found != switches.end()) {
      *found->second = true;
    } else if (word == "--truth" && i + 1 < argc) {
      options.truth = argv[++i];
    } else {
      std::fprintf(
          stderr,
          "torch_ops [--eager] [--per-thread] [--warm] [--cross] [--leave] [--late] [--threads] "
          "[--plant] [--truth FILE]\n");
      std::exit(2);
    }
  }
  return options;
}

// What the buffers hold at first: small integers, which all operators keep exact.
std::unique_ptr<Arena> Initial() {
  auto arena = std::make_unique<Arena>();
  std::memset(static_cast<void*>(arena.get()), 0, sizeof(*arena));
  for (int i = 0; i < kCount; ++i) {
    arena->input.at[i] = static_cast<float>(i % 8);
    for (int w = 0; w < 3; ++w) arena->weights[w].at[i] = static_cast<float>(w + i % 4);
  }
  return arena;
}

void Step(const Options& options, Device& device, Device& backward, Arena& arena, Floats* host) {
  torch_ops::Forward(device, arena, host, options.plant);
  backward.RunBehind(device);
  if (options.threads) {
    std::thread([&] { torch_ops::Backward(backward, arena); }).join();
  } else {
    torch_ops::Backward(backward, arena);
  }
  device.RunBehind(backward);
}

void WholeStep(const Options& options, Device& device, Device& backward, Arena& arena,
               Floats* host) {
  torch_ops::Opening(device, arena);
  Step(options, device, backward, arena, host);
  torch_ops::Closing(device, arena);
}

// The backward pass has a stream of its own.
void RunEager(const Options& options, const torch_like::Functions& torch, Device& device,
              Arena& arena, Floats* host) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Device backward(torch, stream);
  for (unsigned step = 0; step < kReplays; ++step) {
    device.Push("step");
    WholeStep(options, device, backward, arena, host);
    device.Pop();
  }
  CHECK(cudaStreamDestroy(stream));
}

// One operator is open when the capture begins, another when it ends.
cudaGraph_t Capture(const Options& options, Device& device, cudaStream_t stream, Arena& arena,
                    Floats* host) {
  cudaGraph_t graph = nullptr;
  if (options.cross) {
    device.Push("cross");
    WholeStep(options, device, device, arena, host);
  }
  auto before = std::make_unique<torch_ops::Op>(device, "aten::mul_.Tensor");
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  if (options.cross) device.Pop();
  torch_ops::Opening(device, arena);
  before.reset();
  Step(options, device, device, arena, host);
  torch_ops::Op after(device, "aten::sum");
  torch_ops::Closing(device, arena);
  CHECK(cudaStreamEndCapture(stream, &graph));
  after.Gives(torch_ops::TensorOf(arena.total));
  return graph;
}

void RunGraph(const Options& options, Device& device, cudaStream_t stream, Arena& arena,
              Floats* host) {
  cudaGraph_t graph = Capture(options, device, stream, arena, host);
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (unsigned replay = 0; replay < kReplays; ++replay) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
}

// Leaves in `arena` and `host` what the replays must.
void Calculate(const Options& options, Arena& arena, Floats* host) {
  const auto run = [&](torch_ops::Model& model, unsigned replays) {
    for (unsigned replay = 0; replay < replays; ++replay) {
      model.NextReplay();
      torch_ops::Opening(model, arena);
      torch_ops::Forward(model, arena, host, options.plant);
      torch_ops::Backward(model, arena);
      torch_ops::Closing(model, arena);
    }
  };
  torch_ops::Model untold(nullptr);
  if (options.warm) run(untold, kReplays);
  if (options.cross) run(untold, 1);
  std::FILE* truth = options.truth == nullptr ? nullptr : std::fopen(options.truth, "w");
  torch_ops::Model model(truth);
  run(model, kReplays);
  model.Finish();
  if (truth != nullptr) std::fclose(truth);
}

// Where the first wrong byte is, or the size.
std::size_t FirstWrong(const void* seen, const void* expected, std::size_t bytes) {
  const auto* a = static_cast<const unsigned char*>(seen);
  const auto* b = static_cast<const unsigned char*>(expected);
  std::size_t at = 0;
  while (at < bytes && a[at] == b[at]) ++at;
  return at;
}

unsigned long long Checksum(const Arena& arena) {
  unsigned long long sum = 14695981039346656037ull;
  for (std::size_t i = 0; i < sizeof(arena); ++i) {
    sum = (sum ^ reinterpret_cast<const unsigned char*>(&arena)[i]) * 1099511628211ull;
  }
  return sum;
}

void Run(const Options& options) {
  if (options.late) CHECK(cudaFree(nullptr));
  const torch_like::Functions& torch =
      torch_like::Load<decltype(torch_like_functions)>("torch_like_functions");
  cudaStream_t stream = cudaStreamPerThread;
  if (!options.per_thread) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Arena* buffers = nullptr;
  Floats* host = nullptr;
  CHECK(cudaMalloc(&buffers, sizeof(*buffers)));
  CHECK(cudaMallocHost(&host, sizeof(*host)));
  const auto arena = Initial();
  CHECK(cudaMemcpy(buffers, arena.get(), sizeof(*arena), cudaMemcpyHostToDevice));

  Device device(torch, stream);
  if (options.eager || options.warm) RunEager(options, torch, device, *buffers, host);
  if (!options.eager) RunGraph(options, device, stream, *buffers, host);
  CHECK(cudaStreamSynchronize(stream));

  Floats expected_host{};
  const auto seen = std::make_unique<Arena>();
  CHECK(cudaMemcpy(seen.get(), buffers, sizeof(*seen), cudaMemcpyDeviceToHost));
  Calculate(options, *arena, &expected_host);
  const std::size_t wrong = FirstWrong(seen.get(), arena.get(), sizeof(*arena));
  jobs::Expect(wrong == sizeof(*arena), "other bytes in the buffers from", wrong);
  const std::size_t wrong_host = FirstWrong(host, &expected_host, sizeof(expected_host));
  jobs::Expect(wrong_host == sizeof(expected_host), "other bytes in host memory from", wrong_host);
  std::printf("torch_ops %016llx\n", Checksum(*seen));

  if (options.leave) {
    std::fflush(stdout);
    _exit(0);
  }
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(buffers));
  if (!options.per_thread) CHECK(cudaStreamDestroy(stream));
}

}  // namespace

int main(int argc, char** argv) {
  Run(Parse(argc, argv));
  return 0;
}
