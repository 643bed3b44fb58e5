#include "tests/jobs/torch_blocks/tensor.h"

#include <cstdlib>

namespace torch_blocks {

TensorRef Framework::Allocate(std::size_t count, void* stream, torch_like::Pool pool) {
  auto tensor = std::make_unique<Tensor>();
  tensor->expected.resize(count);
  tensor->pool = pool;
  if (capturing_) tensor->op = Asking();
  tensor->data = static_cast<float*>(allocator_.allocate(count * sizeof(float), stream, pool));
  if (tensor->data == nullptr) {
    std::fprintf(stderr, "torch_blocks: no room for %zu elements\n", count);
    std::exit(1);
  }
  return {tensor.release(), [&allocator = allocator_](Tensor* last) {
            allocator.free(last->data);
            delete last;
          }};
}

// The leaf, else the innermost.
std::string Framework::Asking() const {
  for (const OpenOp& op : open_) {
    if (!op.composite) return op.name;
  }
  return open_.empty() ? "" : open_.back().name;
}

void Framework::Tell(const char* kernel, const std::vector<Operand>& operands) {
  if (truth_ == nullptr) return;
  std::fprintf(truth_, "{\"kernel\": \"%s\", \"operands\": [", kernel);
  const char* separator = "";
  for (const auto& [tensor, at] : operands) {
    std::fprintf(truth_,
                 "%s{\"address\": \"%p\", \"block\": {\"address\": \"%p\", \"bytes\": %zu, "
                 "\"pool\": [%llu, %llu], \"op\": \"%s\"}}",
                 separator, static_cast<void*>(tensor->data + at), static_cast<void*>(tensor->data),
                 tensor->expected.size() * sizeof(float),
                 static_cast<unsigned long long>(tensor->pool.first),
                 static_cast<unsigned long long>(tensor->pool.second), tensor->op.c_str());
    separator = ", ";
  }
  std::fprintf(truth_, "]}\n");
}

// Which blocks are not free then.
void Framework::EndCapture() {
  capturing_ = false;
  if (truth_ == nullptr) return;
  std::fprintf(truth_, "{\"end\": [");
  const char* separator = "";
  for (const auto& segment : allocator_.snapshot()) {
    std::uint64_t address = segment.address;
    for (const auto& block : segment.blocks) {
      if (block.active) {
        std::fprintf(truth_, "%s[\"0x%llx\", %llu]", separator,
                     static_cast<unsigned long long>(address),
                     static_cast<unsigned long long>(block.requested));
        separator = ", ";
      }
      address += block.bytes;
    }
  }
  std::fprintf(truth_, "]}\n");
}

}  // namespace torch_blocks
