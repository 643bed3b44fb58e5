// CPU twins of the kernels of conditional.cu.
#include "tests/hostcuda/twin.h"

namespace {

void Add(const hostcuda::Grid& grid, int* data, int value) {
  for (std::size_t i = 0; i < grid.Threads(); ++i) data[i] += value;
}

void NextRound(const hostcuda::Grid&, int* round, unsigned long long handle) {
  *round = (*round + 1) % 4;
  hostcuda_set_conditional(handle, *round != 0);
}

const hostcuda::Twin kTwins[] = {
    hostcuda::Twin("_Z3addPii", &Add),
    hostcuda::Twin("_Z10next_roundPiy", &NextRound),
};

}  // namespace
