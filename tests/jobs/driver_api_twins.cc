// CPU twin of the kernel in driver_api.cc.
#include <cstdint>

#include "tests/hostcuda/twin.h"

namespace {

void AddValue(const hostcuda::Grid& grid, std::uint32_t* data, std::uint32_t count,
              std::uint32_t value) {
  for (std::uint32_t i = 0; i < count && i < grid.Threads(); ++i) data[i] += value;
}

const hostcuda::Twin kTwin("add_value", &AddValue);

}  // namespace
