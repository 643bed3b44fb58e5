// Torch-like: what an adapter watches of a framework, without the framework: operators that begin
// and end, nested, and the tensors that they give and write. A library, loaded as PyTorch's are.
// Owner: all is borrowed for the call; an observer stays. Threads: any; what begins on a thread
// ends there. Failure: none. Units: elements, bytes.
#pragma once

#include <cstdint>
#include <vector>

namespace torch_like {

// Numbers of c10::ScalarType.
enum class Dtype : int {
  kInt8 = 1,
  kFloat32 = 6,
  kFloat64 = 7,
  kComplex128 = 10,
  kBfloat16 = 15,
};

constexpr unsigned ItemBytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
      return 1;
    case Dtype::kBfloat16:
      return 2;
    case Dtype::kFloat64:
      return 8;
    case Dtype::kComplex128:
      return 16;
    default:
      return 4;
  }
}

struct Tensor {
  const void* data = nullptr;
  Dtype dtype = Dtype::kFloat32;
  int device = 0;  // -1: host memory
  std::vector<std::int64_t> sizes, strides;
  std::uint64_t storage_bytes = 0;  // which begin at `data`
};

// `index` counts outputs, or arguments.
struct Value {
  unsigned index = 0;
  Tensor tensor;
};

struct Result {
  std::vector<Value> outputs, written;
};

struct Call {
  const char* name = "";
  bool composite = false;  // made of others
  void* stream = nullptr;
  bool range = false;     // no operator
  bool backward = false;  // a node of the backward pass
  std::int64_t sequence = -1;
  std::uint64_t thread = 0;        // on which the operator of the sequence ran
  std::uint64_t parameter = 0;     // that a backward node adds its gradient to: its address
  std::vector<Value> gradients{};  // of a node of the backward pass
};

struct Observer {
  void (*begin)(const Call& call);
  void (*end)(const Result& result);
};

struct Functions {
  void (*observe)(const Observer* observer);  // nullptr: nobody, from the next operator on
  // Returns who was told, who must hear of the end, too.
  const Observer* (*begin)(const Call& call);
  void (*end)(const Observer* told, const Result& result);
};

}  // namespace torch_like

extern "C" const torch_like::Functions* torch_like_functions();
