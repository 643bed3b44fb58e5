// CPU twins of the kernels of train_loop.cu: the same arithmetic, thread by thread.
#include <algorithm>
#include <cmath>

#include "tests/hostcuda/twin.h"

namespace {

using hostcuda::Grid;
using hostcuda::Twin;

void Matmul(const Grid&, const float* a, const float* b, float* out, int rows, int inner,
            int columns) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      float sum = 0;
      for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
      out[row * columns + column] = sum;
    }
  }
}

void BiasRelu(const Grid&, float* x, const float* bias, int rows, int columns) {
  for (int i = 0; i < rows * columns; ++i) x[i] = std::fmax(x[i] + bias[i % columns], 0.0F);
}

void AddBias(const Grid&, float* x, const float* bias, int rows, int columns) {
  for (int i = 0; i < rows * columns; ++i) x[i] += bias[i % columns];
}

void SoftmaxCrossEntropy(const Grid&, const float* logits, const int* labels, float* row_loss,
                         float* gradient, int rows, int classes) {
  for (int row = 0; row < rows; ++row) {
    const float* x = logits + row * classes;
    const float largest = *std::max_element(x, x + classes);
    float sum = 0;
    for (int c = 0; c < classes; ++c) sum += std::exp(x[c] - largest);
    row_loss[row] = std::log(sum) - (x[labels[row]] - largest);
    for (int c = 0; c < classes; ++c) {
      const float probability = std::exp(x[c] - largest) / sum;
      gradient[row * classes + c] =
          (probability - (c == labels[row] ? 1.0F : 0.0F)) / static_cast<float>(rows);
    }
  }
}

void Mean(const Grid&, const float* values, float* out, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  *out = sum / static_cast<float>(count);
}

void MatmulTransposedA(const Grid&, const float* a, const float* b, float* out, int rows, int inner,
                       int columns) {
  for (int k = 0; k < inner; ++k) {
    for (int column = 0; column < columns; ++column) {
      float sum = 0;
      for (int row = 0; row < rows; ++row) sum += a[row * inner + k] * b[row * columns + column];
      out[k * columns + column] += sum;
    }
  }
}

void MatmulTransposedB(const Grid&, const float* a, const float* b, float* out, int rows, int inner,
                       int columns) {
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < inner; ++k) {
      float sum = 0;
      for (int c = 0; c < columns; ++c) sum += a[row * columns + c] * b[k * columns + c];
      out[row * inner + k] = sum;
    }
  }
}

void ColumnSum(const Grid&, const float* x, float* out, int rows, int columns) {
  for (int column = 0; column < columns; ++column) {
    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += x[row * columns + column];
    out[column] += sum;
  }
}

void ReluBackward(const Grid&, float* gradient, const float* activation, int count) {
  for (int i = 0; i < count; ++i) {
    if (activation[i] <= 0) gradient[i] = 0;
  }
}

void Sgd(const Grid&, float* weights, const float* gradients, int count, float rate) {
  for (int i = 0; i < count; ++i) weights[i] -= rate * gradients[i];
}

const Twin kTwins[] = {
    Twin("_Z6matmulPKfS0_Pfiii", &Matmul),
    Twin("_Z9bias_reluPfPKfii", &BiasRelu),
    Twin("_Z8add_biasPfPKfii", &AddBias),
    Twin("_Z21softmax_cross_entropyPKfPKiPfS3_ii", &SoftmaxCrossEntropy),
    Twin("_Z4meanPKfPfi", &Mean),
    Twin("_Z19matmul_transposed_aPKfS0_Pfiii", &MatmulTransposedA),
    Twin("_Z19matmul_transposed_bPKfS0_Pfiii", &MatmulTransposedB),
    Twin("_Z10column_sumPKfPfii", &ColumnSum),
    Twin("_Z13relu_backwardPfPKfi", &ReluBackward),
    Twin("_Z3sgdPfPKfif", &Sgd),
};

}  // namespace
