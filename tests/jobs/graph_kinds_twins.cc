// CPU twin of the kernel of graph_kinds.cu.
#include <algorithm>

#include "tests/hostcuda/twin.h"

namespace {

using hostcuda::Grid;

void AddNumber(const Grid& grid, int* data, int count, int value) {
  for (int i = 0; i < count && static_cast<std::size_t>(i) < grid.Threads(); ++i) data[i] += value;
}

const hostcuda::Twin add_number("_Z10add_numberPiii", &AddNumber);

}  // namespace
