// CPU twin of the kernel of torch_layouts.cu.
#include "tests/hostcuda/twin.h"

namespace {

void Stir(const hostcuda::Grid&, unsigned* words, int count, unsigned value) {
  for (int i = 0; i < count; ++i) {
    words[i] = (words[i] * 5 + value + static_cast<unsigned>(i)) & 0x3fff3fff;
  }
}

const hostcuda::Twin kStir("_Z4stirPjij", &Stir);

}  // namespace
