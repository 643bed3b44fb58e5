// Step: the operators of the job torch_ops, said once for the two that do them: the device,
// captured into a graph under the stand-in for PyTorch, and the model on the host, which knows what
// must come out. Owner: the arena is the caller's. Threads: one at a time. Failure: none. Units:
// elements.
#pragma once

#include <cstdint>
#include <utility>

#include "tests/jobs/torch_like/torch_like.h"

namespace torch_ops {

inline constexpr int kSide = 8, kCount = kSide * kSide;

struct alignas(256) Floats {
  float at[kCount];
};

// All buffers, each right behind the one before, as a caching allocator places them.
struct Arena {
  Floats input, scratch, softmax, weights[3], mm, linear, norm, clone, joined, sums[3], grad, total,
      moments;
  struct alignas(256) Brief {
    std::uint16_t at[kCount];  // bfloat16
  } brief;
};

// An operator of one thread has a number if the backward pass may go back through it; its node of
// the backward pass has the same.
inline constexpr std::uint64_t kForwardThread = 3;
inline constexpr std::int64_t kNone = -1;

struct Start {
  const char* name = "";
  bool composite = false;
  std::int64_t sequence = kNone;
  // Of a node of the backward pass: what flows into it, and how that is known.
  const Floats* gradient = nullptr;
  const char* gradient_of = "";
};

class Machine {
 public:
  virtual ~Machine() = default;

  virtual void BeginOp(const Start& start) = 0;
  virtual void EndOp(const torch_like::Result& result) = 0;
  virtual void Push(const char* range) = 0;
  virtual void Pop() = 0;

  // One node each.
  virtual void ScaleAdd(const Floats& from, Floats* to, float factor, float value) = 0;
  virtual void Add(const Floats& a, const Floats& b, Floats* to) = 0;
  virtual void AddToEach(Floats* arrays, float value) = 0;  // three
  virtual void Transpose(const Floats& from, Floats* to) = 0;
  virtual void Round(const Floats& from, Arena::Brief* to) = 0;
  virtual void Fill(Floats* to) = 0;                      // with zeros
  virtual void Copy(const Floats& from, Floats* to) = 0;  // also to host memory
};

// An operator as long as it lives, on the thread that made it.
class Op {
 public:
  Op(Machine& machine, const char* name, bool composite = false, std::int64_t sequence = kNone)
      : Op(machine, Start{name, composite, sequence}) {}
  Op(Machine& machine, const Start& start) : machine_(machine) { machine_.BeginOp(start); }
  ~Op() { machine_.EndOp(result_); }
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  void Gives(torch_like::Tensor tensor) { Add(std::move(tensor), &result_.outputs); }
  // The argument behind the one it writes before, the first of all at first.
  void Writes(torch_like::Tensor tensor) { Add(std::move(tensor), &result_.written); }

 private:
  static void Add(torch_like::Tensor tensor, std::vector<torch_like::Value>* values) {
    values->push_back({static_cast<unsigned>(values->size()), std::move(tensor)});
  }

  Machine& machine_;
  torch_like::Result result_;
};

torch_like::Tensor TensorOf(const Floats& floats);

// What each replay does, in this order. `planted`: one operator calculates something else.
void Opening(Machine& machine, Arena& arena);
void Forward(Machine& machine, Arena& arena, Floats* host, bool planted);
void Backward(Machine& machine, Arena& arena);
void Closing(Machine& machine, Arena& arena);

}  // namespace torch_ops
