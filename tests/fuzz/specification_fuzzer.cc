// libFuzzer's entry; scripts/fuzz builds it with clang.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/specification_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphtap::fuzz::CheckSpecification({reinterpret_cast<const char*>(data), size});
  return 0;
}
