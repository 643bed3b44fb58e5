// CPU twins of the kernels of the mirror job.
#include <algorithm>

#include "tests/hostcuda/twin.h"

namespace {

using hostcuda::Grid;
using hostcuda::Twin;

unsigned Reach(const Grid& grid, unsigned words) {
  return static_cast<unsigned>(std::min<std::size_t>(grid.Threads(), words));
}

void Advance(const Grid& grid, unsigned* state, unsigned words, unsigned step) {
  for (unsigned i = 0; i < Reach(grid, words); ++i) state[i] += step + i;
}

void Combine(const Grid& grid, const unsigned* in, unsigned* out, unsigned words, unsigned factor,
             unsigned add) {
  for (unsigned i = 0; i < Reach(grid, words); ++i) out[i] = in[i] * factor + add + i;
}

void Twist(const Grid& grid, const unsigned* in, unsigned* out, unsigned words, unsigned factor,
           unsigned add) {
  for (unsigned i = 0; i < Reach(grid, words); ++i) out[i] = (in[i] ^ add) * factor + i * i;
}

void Blend(const Grid& grid, const unsigned* a, const unsigned* b, unsigned* out, unsigned words) {
  for (unsigned i = 0; i < Reach(grid, words); ++i) out[i] = a[i] * 31 + b[i] + i;
}

void Join(const Grid& grid, const unsigned* a, const unsigned* b, unsigned* out, unsigned words) {
  for (unsigned i = 0; i < Reach(grid, words); ++i) out[i] = out[i] * 5 + ((a[i] * 7) ^ b[i]);
}

void Choose(const Grid&, unsigned long long condition, const unsigned* in, unsigned choices) {
  hostcuda_set_conditional(condition, in[0] % choices);
}

void CountDown(const Grid&, unsigned long long condition, unsigned* left) {
  left[0] -= 1;
  hostcuda_set_conditional(condition, left[0] != 0 ? 1 : 0);
}

const Twin kTwins[] = {
    Twin("_Z7advancePjjj", &Advance),      Twin("_Z7combinePKjPjjjj", &Combine),
    Twin("_Z5twistPKjPjjjj", &Twist),      Twin("_Z5blendPKjS0_Pjj", &Blend),
    Twin("_Z4joinPKjS0_Pjj", &Join),       Twin("_Z6chooseyPKjj", &Choose),
    Twin("_Z10count_downyPj", &CountDown),
};

}  // namespace
