// A small training loop on CUDA graphs: a two-layer perceptron on made data, one step captured once
// and replayed. Deterministic: no atomics, sums in a fixed order.
//   train_loop [--replays N] [--update K] [--disturb N] [--print K]
// --update K: every K replays the learning rate in the executable is changed.
// --disturb N: before replay N one value of the input is changed.
// --print K: every K replays the loss is read, which waits for the replay, and printed.
// Prints the loss of some steps and a checksum of the weights. Exit 1 if the loss did not fall.
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/jobs/cuda_check.h"

__global__ void matmul(const float* a, const float* b, float* out, int rows, int inner,
                       int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int row = i / columns, column = i % columns;
  float sum = 0;
  for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
  out[i] = sum;
}

__global__ void bias_relu(float* x, const float* bias, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) x[i] = fmaxf(x[i] + bias[i % columns], 0.0f);
}

__global__ void add_bias(float* x, const float* bias, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) x[i] += bias[i % columns];
}

// One thread a row: its loss, and the gradient of the mean loss by the row's logits.
__global__ void softmax_cross_entropy(const float* logits, const int* labels, float* row_loss,
                                      float* gradient, int rows, int classes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * classes;
  float largest = x[0];
  for (int c = 1; c < classes; ++c) largest = fmaxf(largest, x[c]);
  float sum = 0;
  for (int c = 0; c < classes; ++c) sum += expf(x[c] - largest);
  row_loss[row] = logf(sum) - (x[labels[row]] - largest);
  for (int c = 0; c < classes; ++c) {
    const float probability = expf(x[c] - largest) / sum;
    gradient[row * classes + c] = (probability - (c == labels[row] ? 1.0f : 0.0f)) / rows;
  }
}

__global__ void mean(const float* values, float* out, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  *out = sum / count;
}

// out[inner, columns] += transpose(a[rows, inner]) * b[rows, columns]
__global__ void matmul_transposed_a(const float* a, const float* b, float* out, int rows, int inner,
                                    int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= inner * columns) return;
  const int k = i / columns, column = i % columns;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += a[row * inner + k] * b[row * columns + column];
  out[i] += sum;
}

// out[rows, inner] = a[rows, columns] * transpose(b[inner, columns])
__global__ void matmul_transposed_b(const float* a, const float* b, float* out, int rows, int inner,
                                    int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * inner) return;
  const int row = i / inner, k = i % inner;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += a[row * columns + c] * b[k * columns + c];
  out[i] = sum;
}

__global__ void column_sum(const float* x, float* out, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += x[row * columns + column];
  out[column] += sum;
}

__global__ void relu_backward(float* gradient, const float* activation, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && activation[i] <= 0) gradient[i] = 0;
}

__global__ void sgd(float* weights, const float* gradients, int count, float rate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) weights[i] -= rate * gradients[i];
}

namespace {

constexpr int kRows = 64, kInputs = 16, kHidden = 32, kClasses = 8, kBlock = 64;
constexpr int kWeights = kInputs * kHidden + kHidden + kHidden * kClasses + kClasses;
constexpr float kRate = 0.5f;

int Blocks(int threads) { return (threads + kBlock - 1) / kBlock; }

template <typename T>
T* Allocate(size_t count) {
  T* pointer = nullptr;
  CHECK(cudaMalloc(&pointer, count * sizeof(T)));
  return pointer;
}

// The parts of a buffer that holds all parameters, or all their gradients.
struct Parameters {
  float* all = Allocate<float>(kWeights);
  float* weight1 = all;
  float* bias1 = weight1 + kInputs * kHidden;
  float* weight2 = bias1 + kHidden;
  float* bias2 = weight2 + kHidden * kClasses;
};

struct Model {
  Parameters weights, gradients;
  float* previous = Allocate<float>(kWeights);
  float* input = Allocate<float>(kRows * kInputs);
  int* labels = Allocate<int>(kRows);
  float* hidden = Allocate<float>(kRows * kHidden);
  float* hidden_gradient = Allocate<float>(kRows * kHidden);
  float* logits = Allocate<float>(kRows * kClasses);
  float* logits_gradient = Allocate<float>(kRows * kClasses);
  float* row_loss = Allocate<float>(kRows);
  float* loss = Allocate<float>(1);

  void Free() {
    for (void* pointer :
         {static_cast<void*>(weights.all), static_cast<void*>(gradients.all),
          static_cast<void*>(previous), static_cast<void*>(input), static_cast<void*>(labels),
          static_cast<void*>(hidden), static_cast<void*>(hidden_gradient),
          static_cast<void*>(logits), static_cast<void*>(logits_gradient),
          static_cast<void*>(row_loss), static_cast<void*>(loss)}) {
      CHECK(cudaFree(pointer));
    }
  }
};

// Numbers in [-1, 1) that are the same in each run.
class Numbers {
 public:
  float Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>(static_cast<int32_t>(state_ >> 32)) / 2147483648.0f;
  }

 private:
  uint64_t state_ = 42;
};

// The label of a row is the largest of its first inputs: something that can be learned.
void FillData(const Model& model) {
  Numbers numbers;
  std::vector<float> input(kRows * kInputs), weights(kWeights);
  std::vector<int> labels(kRows, 0);
  for (float& value : input) value = numbers.Next();
  for (float& value : weights) value = 0.3f * numbers.Next();
  for (int row = 0; row < kRows; ++row) {
    const float* x = &input[row * kInputs];
    for (int c = 1; c < kClasses; ++c) {
      if (x[c] > x[labels[row]]) labels[row] = c;
    }
  }
  CHECK(
      cudaMemcpy(model.input, input.data(), input.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(
      cudaMemcpy(model.labels, labels.data(), labels.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(model.weights.all, weights.data(), weights.size() * sizeof(float),
                   cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());  // the training stream does not wait for the legacy one
}

void Forward(const Model& m, cudaStream_t stream) {
  nvtxRangePushA("forward");
  const int hidden = kRows * kHidden, logits = kRows * kClasses;
  matmul<<<Blocks(hidden), kBlock, 0, stream>>>(m.input, m.weights.weight1, m.hidden, kRows,
                                                kInputs, kHidden);
  bias_relu<<<Blocks(hidden), kBlock, 0, stream>>>(m.hidden, m.weights.bias1, kRows, kHidden);
  matmul<<<Blocks(logits), kBlock, 0, stream>>>(m.hidden, m.weights.weight2, m.logits, kRows,
                                                kHidden, kClasses);
  add_bias<<<Blocks(logits), kBlock, 0, stream>>>(m.logits, m.weights.bias2, kRows, kClasses);
  softmax_cross_entropy<<<Blocks(kRows), kBlock, 0, stream>>>(m.logits, m.labels, m.row_loss,
                                                              m.logits_gradient, kRows, kClasses);
  mean<<<1, 1, 0, stream>>>(m.row_loss, m.loss, kRows);
  CHECK(cudaGetLastError());
  nvtxRangePop();
}

void Backward(const Model& m, cudaStream_t stream) {
  nvtxRangePushA("backward");
  CHECK(cudaMemsetAsync(m.gradients.all, 0, kWeights * sizeof(float), stream));
  matmul_transposed_a<<<Blocks(kHidden * kClasses), kBlock, 0, stream>>>(
      m.hidden, m.logits_gradient, m.gradients.weight2, kRows, kHidden, kClasses);
  column_sum<<<1, kBlock, 0, stream>>>(m.logits_gradient, m.gradients.bias2, kRows, kClasses);
  matmul_transposed_b<<<Blocks(kRows * kHidden), kBlock, 0, stream>>>(
      m.logits_gradient, m.weights.weight2, m.hidden_gradient, kRows, kHidden, kClasses);
  relu_backward<<<Blocks(kRows * kHidden), kBlock, 0, stream>>>(m.hidden_gradient, m.hidden,
                                                                kRows * kHidden);
  matmul_transposed_a<<<Blocks(kInputs * kHidden), kBlock, 0, stream>>>(
      m.input, m.hidden_gradient, m.gradients.weight1, kRows, kInputs, kHidden);
  column_sum<<<1, kBlock, 0, stream>>>(m.hidden_gradient, m.gradients.bias1, kRows, kHidden);
  CHECK(cudaGetLastError());
  nvtxRangePop();
}

void Optimizer(const Model& m, cudaStream_t stream) {
  nvtxRangePushA("optimizer");
  CHECK(cudaMemcpyAsync(m.previous, m.weights.all, kWeights * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream));
  sgd<<<Blocks(kWeights), kBlock, 0, stream>>>(m.weights.all, m.gradients.all, kWeights, kRate);
  CHECK(cudaGetLastError());
  nvtxRangePop();
}

struct Step {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t sgd_node = nullptr;
};

Step CaptureStep(const Model& model, cudaStream_t stream) {
  Step step;
  nvtxRangePushA("train_step");
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  Forward(model, stream);
  Backward(model, stream);
  Optimizer(model, stream);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count));
  jobs::Expect(count == 1, "one last node in the capture", static_cast<long long>(count));
  step.sgd_node = last[0];
  CHECK(cudaStreamEndCapture(stream, &step.graph));
  nvtxRangePop();
  return step;
}

void SetRate(cudaGraphExec_t exec, const Step& step, const Model& model, float rate) {
  float *weights = model.weights.all, *gradients = model.gradients.all;
  int count = kWeights;
  void* arguments[] = {&weights, &gradients, &count, &rate};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(&sgd);
  parameters.gridDim = dim3(Blocks(kWeights));
  parameters.blockDim = dim3(kBlock);
  parameters.kernelParams = arguments;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, step.sgd_node, &parameters));
}

float ReadLoss(const Model& model, cudaStream_t stream) {
  float loss = 0;
  CHECK(cudaMemcpyAsync(&loss, model.loss, sizeof(loss), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  return loss;
}

uint64_t WeightChecksum(const Model& model) {
  std::vector<unsigned char> bytes(kWeights * sizeof(float));
  CHECK(cudaMemcpy(bytes.data(), model.weights.all, bytes.size(), cudaMemcpyDeviceToHost));
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

struct Options {
  int replays = 100;
  int update = 0;   // 0: never
  int disturb = 0;  // 0: never
  int print = 0;    // 0: five times in all
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    int* value = std::strcmp(argv[i], "--replays") == 0   ? &options.replays
                 : std::strcmp(argv[i], "--update") == 0  ? &options.update
                 : std::strcmp(argv[i], "--disturb") == 0 ? &options.disturb
                 : std::strcmp(argv[i], "--print") == 0   ? &options.print
                                                          : nullptr;
    char* end = nullptr;
    if (value != nullptr && i + 1 < argc) {
      *value = static_cast<int>(std::strtol(argv[++i], &end, 10));
    }
    if (end == nullptr || *end != '\0' || *value <= 0) {
      std::fprintf(stderr,
                   "train_loop: usage: train_loop [--replays N] [--update K] [--disturb N] "
                   "[--print K], all > 0\n");
      std::exit(2);
    }
  }
  return options;
}

// Replays the step and returns the first and the last loss.
std::pair<float, float> Train(const Options& options, const Model& model, const Step& step,
                              cudaGraphExec_t exec, cudaStream_t stream) {
  float first = 0, last = 0;
  int print_every = options.replays > 5 ? options.replays / 5 : 1;
  if (options.print > 0) print_every = options.print;
  for (int replay = 1; replay <= options.replays; ++replay) {
    if (options.update > 0 && replay % options.update == 0) {
      SetRate(exec, step, model, kRate / static_cast<float>(1 + replay / options.update));
    }
    if (replay == options.disturb) {
      const float value = 0.5f;
      CHECK(
          cudaMemcpyAsync(model.input + 17, &value, sizeof value, cudaMemcpyHostToDevice, stream));
    }
    CHECK(cudaGraphLaunch(exec, stream));
    if (replay != 1 && replay != options.replays && replay % print_every != 0) continue;
    last = ReadLoss(model, stream);
    if (replay == 1) first = last;
    std::printf("step %d loss %.6f\n", replay, static_cast<double>(last));
  }
  return {first, last};
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  Model model;
  FillData(model);
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Step step = CaptureStep(model, stream);
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, step.graph, 0));
  const auto [first, last] = Train(options, model, step, exec, stream);
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(WeightChecksum(model)));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(step.graph));
  CHECK(cudaStreamDestroy(stream));
  model.Free();
  if (options.replays > 1 && !(last < first)) {
    std::fprintf(stderr, "train_loop: the loss did not fall: %f to %f\n",
                 static_cast<double>(first), static_cast<double>(last));
    return 1;
  }
  return 0;
}
