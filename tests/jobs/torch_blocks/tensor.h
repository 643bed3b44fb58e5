// Tensor: what the job torch_blocks calculates with: a block of the stand-in's allocator, and what
// its elements must be when all nodes before have run. The framework around it knows which operator
// asked for it, and writes the truth, a line of JSON for each kernel and each end of a capture.
// Owner: the last reference gives the block back. Threads: one, but for the allocator. Failure: the
// job ends. Units: elements.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/jobs/torch_like/allocator.h"
#include "tests/jobs/torch_like/torch_like.h"

namespace torch_blocks {

inline constexpr std::size_t kCount = 64;  // of one kernel

struct Tensor {
  float* data = nullptr;
  torch_like::Pool pool;
  std::string op;  // "": none in a capture
  std::vector<float> expected;
};
using TensorRef = std::shared_ptr<Tensor>;

// Where an operand begins.
struct Operand {
  const Tensor* tensor = nullptr;
  std::size_t at = 0;
};

class Framework {
 public:
  // `truth`: nullptr: nobody asks.
  Framework(const torch_like::Functions& functions, const torch_like::AllocatorFunctions& allocator,
            std::FILE* truth)
      : functions_(functions), allocator_(allocator), truth_(truth) {}

  const torch_like::Functions& functions() const { return functions_; }
  const torch_like::AllocatorFunctions& allocator() const { return allocator_; }

  TensorRef Allocate(std::size_t count, void* stream, torch_like::Pool pool);

  void BeginCapture() { capturing_ = true; }
  void EndCapture();
  bool capturing() const { return capturing_; }

  void Tell(const char* kernel, const std::vector<Operand>& operands);

 private:
  friend class Op;
  struct OpenOp {
    std::string name;
    bool composite = false;
  };
  std::string Asking() const;

  const torch_like::Functions& functions_;
  const torch_like::AllocatorFunctions& allocator_;
  std::FILE* truth_;
  bool capturing_ = false;
  std::vector<OpenOp> open_;
};

// An operator as long as it lives.
class Op {
 public:
  Op(Framework& framework, const char* name, void* stream, bool composite = false)
      : framework_(framework), told_(framework.functions().begin({name, composite, stream})) {
    framework_.open_.push_back({name, composite});
  }
  ~Op() {
    framework_.open_.pop_back();
    framework_.functions().end(told_, result_);
  }
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  void Gives(const Tensor& tensor) { Add(tensor, &result_.outputs); }
  void Writes(const Tensor& tensor) { Add(tensor, &result_.written); }

 private:
  static void Add(const Tensor& tensor, std::vector<torch_like::Value>* values) {
    const auto count = static_cast<std::int64_t>(tensor.expected.size());
    values->push_back({static_cast<unsigned>(values->size()),
                       {tensor.data,
                        torch_like::Dtype::kFloat32,
                        0,
                        {count},
                        {1},
                        tensor.expected.size() * sizeof(float)}});
  }

  Framework& framework_;
  const torch_like::Observer* told_;
  torch_like::Result result_;
};

}  // namespace torch_blocks
