// A library that uses CUDA in a static initialiser: before main(), and before the initialisers of a
// preloaded library.
#include <cuda.h>

namespace {
const CUresult kResult = cuInit(0);
}

extern "C" __attribute__((visibility("default"))) int early_result() {
  return static_cast<int>(kResult);
}
