// CPU twins of the kernels of many_graphs.cu.
#include "tests/hostcuda/twin.h"

namespace {

using hostcuda::Grid;
using hostcuda::Twin;

void AddOne(const Grid&, unsigned* data, unsigned words) {
  for (unsigned i = 0; i < words; ++i) data[i] += 1;
}

void Triple(const Grid&, const unsigned* in, unsigned* out, unsigned words) {
  for (unsigned i = 0; i < words; ++i) out[i] = in[i] * 3;
}

const Twin kTwins[] = {
    Twin("_Z7add_onePjj", &AddOne),
    Twin("_Z6triplePKjPjj", &Triple),
};

}  // namespace
