// CPU twins of the kernels of torch_ops.cu.
#include <cstdint>
#include <cstring>

#include "tests/hostcuda/twin.h"

namespace {

using hostcuda::Grid;

void ScaleAdd(const Grid&, const float* from, float* to, int count, float factor, float value) {
  for (int i = 0; i < count; ++i) to[i] = from[i] * factor + value;
}

void Add(const Grid&, const float* a, const float* b, float* to, int count) {
  for (int i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

void AddToEach(const Grid&, float* a, float* b, float* c, int count, float value) {
  for (float* array : {a, b, c}) {
    for (int i = 0; i < count; ++i) array[i] += value;
  }
}

void Transpose(const Grid&, const float* from, float* to, int side) {
  for (int i = 0; i < side * side; ++i) to[i % side * side + i / side] = from[i];
}

void RoundToBrief(const Grid&, const float* from, unsigned short* to, int count) {
  for (int i = 0; i < count; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &from[i], sizeof(bits));
    to[i] = static_cast<unsigned short>(bits >> 16);
  }
}

const hostcuda::Twin kScaleAdd("_Z9scale_addPKfPfiff", &ScaleAdd);
const hostcuda::Twin kAdd("_Z3addPKfS0_Pfi", &Add);
const hostcuda::Twin kAddToEach("_Z11add_to_eachPfS_S_if", &AddToEach);
const hostcuda::Twin kTranspose("_Z9transposePKfPfi", &Transpose);
const hostcuda::Twin kRoundToBrief("_Z14round_to_briefPKfPti", &RoundToBrief);

}  // namespace
