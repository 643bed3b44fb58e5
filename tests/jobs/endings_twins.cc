// CPU twins of the kernels of endings.cu.
#include "tests/hostcuda/twin.h"

namespace {

using hostcuda::Grid;
using hostcuda::Twin;

void Advance(const Grid&, unsigned* state, unsigned words, unsigned step) {
  for (unsigned i = 0; i < words; ++i) state[i] += step + i;
}

void WaitFor(const Grid&, const unsigned* go) {
  while (__atomic_load_n(go, __ATOMIC_RELAXED) == 0) hostcuda_wait_for_release();
}

const Twin kTwins[] = {
    Twin("_Z7advancePjjj", &Advance),
    Twin("_Z8wait_forPVKj", &WaitFor),
};

}  // namespace
