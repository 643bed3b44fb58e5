#include "tests/jobs/torch_ops/model.h"

#include <algorithm>
#include <cstring>

namespace torch_ops {
namespace {

void Print(std::FILE* truth, const char* name, const std::vector<std::int64_t>& numbers) {
  std::fprintf(truth, ", \"%s\": [", name);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::fprintf(truth, "%s%lld", i == 0 ? "" : ", ", static_cast<long long>(numbers[i]));
  }
  std::fprintf(truth, "]");
}

}  // namespace

// Inside a leaf, operators are not counted.
void Model::BeginOp(const Start& start) {
  const bool inner = !open_.empty() && !open_.back().composite;
  const std::string key = scope_ + start.name;
  if (!inner && !start.composite) nodes_ = 0;
  const unsigned invocation = inner ? 0 : seen_[key]++;
  open_.push_back({key, invocation, start.composite});
  if (start.gradient == nullptr) return;
  Tell({start.gradient_of, 0, true}, "grad", {0, TensorOf(*start.gradient)});
}

void Model::EndOp(const torch_like::Result& result) {
  const Open op = open_.back();
  open_.pop_back();
  const bool inner = !open_.empty() && !open_.back().composite;
  if (inner || op.composite || nodes_ == 0) return;
  for (const auto& value : result.outputs) Tell(op, "out", value);
  for (const auto& value : result.written) Tell(op, "in", value);
}

void Model::Tell(const Open& op, const char* operand, const torch_like::Value& value) {
  const torch_like::Tensor& tensor = value.tensor;
  if (truth_ == nullptr || tensor.device < 0) return;
  std::fprintf(truth_,
               "{\"executable\": 0, \"replay\": %u, \"name\": \"%s\", \"occurrence\": %u, "
               "\"operand\": \"%s%u\", \"item\": %u",
               replay_, op.name.c_str(), op.invocation, operand, value.index,
               torch_like::ItemBytes(tensor.dtype));
  Print(truth_, "sizes", tensor.sizes);
  Print(truth_, "strides", tensor.strides);
  std::vector<std::uint32_t> words(tensor.storage_bytes / sizeof(std::uint32_t));
  std::memcpy(words.data(), tensor.data, tensor.storage_bytes);
  Print(truth_, "words", {words.begin(), words.end()});
  std::fprintf(truth_, "}\n");
}

void Model::Finish() {
  if (truth_ == nullptr) return;
  std::fprintf(truth_, "{\"executable\": 0, \"replays\": %u}\n", replay_);
}

void Model::ScaleAdd(const Floats& from, Floats* to, float factor, float value) {
  ++nodes_;
  for (int i = 0; i < kCount; ++i) to->at[i] = from.at[i] * factor + value;
}

void Model::Add(const Floats& a, const Floats& b, Floats* to) {
  ++nodes_;
  for (int i = 0; i < kCount; ++i) to->at[i] = a.at[i] + b.at[i];
}

void Model::AddToEach(Floats* arrays, float value) {
  ++nodes_;
  for (int a = 0; a < 3; ++a) {
    for (float& element : arrays[a].at) element += value;
  }
}

void Model::Transpose(const Floats& from, Floats* to) {
  ++nodes_;
  for (int i = 0; i < kCount; ++i) to->at[i % kSide * kSide + i / kSide] = from.at[i];
}

void Model::Round(const Floats& from, Arena::Brief* to) {
  ++nodes_;
  for (int i = 0; i < kCount; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &from.at[i], sizeof(bits));
    to->at[i] = static_cast<std::uint16_t>(bits >> 16);
  }
}

void Model::Fill(Floats* to) {
  ++nodes_;
  std::fill(std::begin(to->at), std::end(to->at), 0.0f);
}

void Model::Copy(const Floats& from, Floats* to) {
  ++nodes_;
  *to = from;
}

}  // namespace torch_ops
