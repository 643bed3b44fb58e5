// Headers of .npy files, by themselves and behind the right magic; the size of the file is any.
#include <span>
#include <string>

#include "proto/arrays/npy.h"
#include "tests/fuzz/array_heads.h"
#include "tests/fuzz/require.h"

namespace graphtap::fuzz {
namespace {

void Check(std::string_view head, std::uint64_t file_bytes) {
  std::string error;
  const auto array = arrays::ParseNpy(std::as_bytes(std::span(head)), file_bytes, &error);
  Require(array.has_value() == error.empty(), "an array or an error");
  if (!array) return;
  Require(array->shape.size() <= arrays::kMostAxes, "a shape is bounded");
  Require(array->offset <= file_bytes && array->bytes <= file_bytes - array->offset,
          "the elements are in the file");
}

// What is behind the header's length is the text.
std::string Framed(std::string_view text) {
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8 & 0xff);
  return head.append(text);
}

}  // namespace
}  // namespace graphtap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphtap::fuzz;
  CheckHeads(data, size, &Check, &Framed);
  return 0;
}
