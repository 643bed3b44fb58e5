// CPU twin of the kernel of many_threads.cu.
#include "tests/hostcuda/twin.h"

namespace {

void AddTo(const hostcuda::Grid&, unsigned* data, unsigned words, unsigned value) {
  for (unsigned i = 0; i < words; ++i) data[i] += value;
}

const hostcuda::Twin kTwin("_Z6add_toPjjj", &AddTo);

}  // namespace
