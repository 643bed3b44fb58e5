// A chain of small kernels in one graph, as its arguments say: the job of tests/parity.
//   parity [--elements N] [--inputs A,B,…] [--eager] OPERATION…
// An operation is NAME:NUMBER or NAME:NUMBER:ELEMENTS, and reads what the one before left; the
// first reads the input, N (4) elements of A in replay 1, B in replay 2, … Each writes a buffer of
// its own:
//   add, hidden, logits: float32 + number    mul: float32 * number    add_int: int32 + number
//   is_above: bool, float32 > number         add_complex: complex64 + number
//   side: as add, of the input, on a second stream; one at most
// --eager: runs the operations once without a graph first. The replays are queued without a wait
// between. Prints the first float of each buffer of float32. Exit 1: CUDA failed, 2: bad arguments.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/jobs/cuda_check.h"

namespace {

__device__ unsigned Index() { return blockIdx.x * blockDim.x + threadIdx.x; }

}  // namespace

__global__ void set(float* to, unsigned count, float value) {
  if (Index() < count) to[Index()] = value;
}
__global__ void add(const float* from, float* to, unsigned count, float number) {
  if (Index() < count) to[Index()] = from[Index()] + number;
}
__global__ void hidden(const float* from, float* to, unsigned count, float number) {
  if (Index() < count) to[Index()] = from[Index()] + number;
}
__global__ void logits(const float* from, float* to, unsigned count, float number) {
  if (Index() < count) to[Index()] = from[Index()] + number;
}
__global__ void mul(const float* from, float* to, unsigned count, float number) {
  if (Index() < count) to[Index()] = from[Index()] * number;
}
__global__ void add_int(const float* from, int* to, unsigned count, float number) {
  if (Index() < count) to[Index()] = static_cast<int>(from[Index()] + number);
}
__global__ void is_above(const float* from, bool* to, unsigned count, float number) {
  if (Index() < count) to[Index()] = from[Index()] > number;
}
__global__ void add_complex(const float* from, float2* to, unsigned count, float number) {
  if (Index() < count) to[Index()] = make_float2(from[Index()] + number, 0);
}

namespace {

struct Operation {
  std::string name;
  float number = 0;
  unsigned elements = 0;
  bool is_float() const { return name != "add_int" && name != "is_above" && name != "add_complex"; }
  size_t bytes() const {
    return elements * (name == "is_above" ? 1 : name == "add_complex" ? 8 : sizeof(float));
  }
};

struct Options {
  unsigned elements = 4;
  bool eager = false;
  std::vector<float> inputs = {1};
  std::vector<Operation> operations;
};

class Job {
 public:
  explicit Job(const Options& options) : options_(options) {
    for (cudaStream_t* stream : {&main_, &side_}) {
      CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    }
    CHECK(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
    CHECK(cudaMalloc(&input_, options.elements * sizeof(float)));
    for (const Operation& operation : options.operations) {
      CHECK(cudaMalloc(&buffers_.emplace_back(), operation.bytes()));
    }
  }

  void Run() {
    if (options_.eager) {
      SetInput(options_.inputs[0]);
      LaunchAll();
      CHECK(cudaStreamSynchronize(main_));
    }
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    CHECK(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
    LaunchAll();
    CHECK(cudaStreamEndCapture(main_, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (const float value : options_.inputs) {
      SetInput(value);
      CHECK(cudaGraphLaunch(executable, main_));
    }
    CHECK(cudaStreamSynchronize(main_));
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (!options_.operations[i].is_float()) continue;
      float first = 0;
      CHECK(cudaMemcpy(&first, buffers_[i], sizeof first, cudaMemcpyDeviceToHost));
      std::printf("%s %g\n", options_.operations[i].name.c_str(), first);
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
  }

 private:
  void SetInput(float value) {
    set<<<1, 256, 0, main_>>>(input_, options_.elements, value);
    CHECK(cudaGetLastError());
  }

  void LaunchAll() {
    const float* from = input_;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const Operation& operation = options_.operations[i];
      const bool side = operation.name == "side";
      if (side) {
        CHECK(cudaEventRecord(fork_, main_));
        CHECK(cudaStreamWaitEvent(side_, fork_, 0));
      }
      Launch(operation, side ? input_ : from, buffers_[i], side ? side_ : main_);
      if (side) CHECK(cudaEventRecord(join_, side_));
      if (operation.is_float() && !side) from = static_cast<const float*>(buffers_[i]);
    }
    for (const Operation& operation : options_.operations) {
      if (operation.name == "side") CHECK(cudaStreamWaitEvent(main_, join_, 0));
    }
  }

  static void Launch(const Operation& operation, const float* from, void* to, cudaStream_t stream) {
    const unsigned count = operation.elements;
    const float number = operation.number;
    auto* floats = static_cast<float*>(to);
    const std::string& name = operation.name;
    if (name == "hidden") hidden<<<1, 256, 0, stream>>>(from, floats, count, number);
    if (name == "logits") logits<<<1, 256, 0, stream>>>(from, floats, count, number);
    if (name == "mul") mul<<<1, 256, 0, stream>>>(from, floats, count, number);
    if (name == "add" || name == "side") add<<<1, 256, 0, stream>>>(from, floats, count, number);
    if (name == "add_int")
      add_int<<<1, 256, 0, stream>>>(from, static_cast<int*>(to), count, number);
    if (name == "is_above") {
      is_above<<<1, 256, 0, stream>>>(from, static_cast<bool*>(to), count, number);
    }
    if (name == "add_complex") {
      add_complex<<<1, 256, 0, stream>>>(from, static_cast<float2*>(to), count, number);
    }
    CHECK(cudaGetLastError());
  }

  const Options options_;
  cudaStream_t main_ = nullptr, side_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
  float* input_ = nullptr;
  std::vector<void*> buffers_;
};

std::vector<std::string> Split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void Usage() {
  std::fprintf(stderr,
               "parity [--elements N] [--inputs A,B] [--eager] NAME:NUMBER[:ELEMENTS] ...\n");
  std::exit(2);
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--eager") {
      options.eager = true;
    } else if (word == "--elements" && i + 1 < argc) {
      options.elements = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    } else if (word == "--inputs" && i + 1 < argc) {
      options.inputs.clear();
      for (const auto& value : Split(argv[++i], ',')) {
        options.inputs.push_back(std::strtof(value.c_str(), nullptr));
      }
    } else {
      const auto parts = Split(word, ':');
      if (parts.size() < 2 || parts.size() > 3) Usage();
      Operation& operation = options.operations.emplace_back();
      operation.name = parts[0];
      operation.number = std::strtof(parts[1].c_str(), nullptr);
      operation.elements = parts.size() < 3
                               ? options.elements
                               : static_cast<unsigned>(std::strtoul(parts[2].c_str(), nullptr, 10));
    }
  }
  if (options.operations.empty() || options.elements == 0 || options.elements > 256) Usage();
  return options;
}

}  // namespace

int main(int argc, char** argv) { Job(Parse(argc, argv)).Run(); }
