// CPU twins of the kernels of many_ways.cu.
#include <algorithm>

#include "tests/hostcuda/twin.h"

namespace {

using hostcuda::Grid;
using hostcuda::Twin;

int Reach(const Grid& grid, int count) {
  return static_cast<int>(std::min<std::size_t>(grid.Threads(), static_cast<std::size_t>(count)));
}

void AddTo(const Grid& grid, int* data, int count, int value) {
  for (int i = 0; i < Reach(grid, count); ++i) data[i] += value;
}

void SumInto(const Grid& grid, const int* a, const int* b, int* out, int count) {
  for (int i = 0; i < Reach(grid, count); ++i) out[i] = a[i] + b[i];
}

const Twin kTwins[] = {
    Twin("_Z6add_toPiii", &AddTo),
    Twin("_Z8sum_intoPKiS0_Pii", &SumInto),
};

}  // namespace
