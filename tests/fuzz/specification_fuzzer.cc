// Specifications, lists of replays and of points, globs, and names that are matched.
#include "tests/fuzz/specification_properties.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphtap::fuzz::CheckSpecification(graphtap::fuzz::Input(data, size));
  return 0;
}
