// Model: the step on the host: what each buffer holds after a replay, and what an observation of
// each operator's tensors must be, as a truth file (tests/values/check_values.py).
// Owner: the caller. Threads: one. Failure: none. Units: elements.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tests/jobs/torch_ops/step.h"

namespace torch_ops {

class Model final : public Machine {
 public:
  // `truth`: gets a line for each tensor that can be observed; nullptr: nobody asks.
  explicit Model(std::FILE* truth) : truth_(truth) {}

  void NextReplay() {
    ++replay_;
    seen_.clear();
  }
  // After the last replay.
  void Finish();

  void BeginOp(const Start& start) override;
  void EndOp(const torch_like::Result& result) override;
  void Push(const char* range) override { scope_ = std::string(range) + '/'; }
  void Pop() override { scope_.clear(); }

  void ScaleAdd(const Floats& from, Floats* to, float factor, float value) override;
  void Add(const Floats& a, const Floats& b, Floats* to) override;
  void AddToEach(Floats* arrays, float value) override;
  void Transpose(const Floats& from, Floats* to) override;
  void Round(const Floats& from, Arena::Brief* to) override;
  void Fill(Floats* to) override;
  void Copy(const Floats& from, Floats* to) override;

 private:
  struct Open {
    std::string name;
    unsigned invocation = 0;
    bool composite = false;
  };
  void Tell(const Open& op, const char* operand, const torch_like::Value& value);

  std::FILE* truth_;
  unsigned replay_ = 0;
  std::string scope_;
  std::vector<Open> open_;
  std::map<std::string, unsigned> seen_;  // how many of a name there were in this replay
  unsigned nodes_ = 0;                    // of the leaf that is open
};

}  // namespace torch_ops
