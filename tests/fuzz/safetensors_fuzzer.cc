// Headers of .safetensors files, by themselves and behind their right length; the size of the file
// is any.
#include <span>
#include <string>

#include "proto/arrays/safetensors.h"
#include "tests/fuzz/array_heads.h"
#include "tests/fuzz/require.h"

namespace graphtap::fuzz {
namespace {

void Check(std::string_view head, std::uint64_t file_bytes) {
  std::string error;
  const auto bytes = std::as_bytes(std::span(head));
  const auto needed = arrays::SafetensorsHead(bytes, file_bytes, &error);
  Require(needed.has_value() == error.empty(), "a size or an error");
  Require(!needed || *needed <= arrays::kMostSafetensorsHead, "a header is bounded");
  const auto tensors = arrays::ParseSafetensors(bytes, file_bytes, &error);
  Require(tensors.has_value() == error.empty(), "tensors or an error");
  if (!tensors) return;
  for (std::size_t i = 0; i < tensors->size(); ++i) {
    const auto& tensor = (*tensors)[i];
    Require(tensor.offset <= file_bytes && tensor.bytes <= file_bytes - tensor.offset,
            "the elements are in the file");
    Require(i == 0 || (*tensors)[i - 1].name < tensor.name, "each name is there once, in order");
  }
}

std::string Framed(std::string_view text) {
  std::string head;
  for (unsigned i = 0; i < 8; ++i) head += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return head.append(text);
}

}  // namespace
}  // namespace graphtap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphtap::fuzz;
  CheckHeads(data, size, &Check, &Framed);
  return 0;
}
