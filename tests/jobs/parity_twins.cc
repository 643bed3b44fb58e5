// CPU twins of the kernels of parity.cu.
#include "tests/hostcuda/twin.h"

namespace {

using hostcuda::Grid;

struct Float2 {
  float x, y;
};

void Set(const Grid&, float* to, unsigned count, float value) {
  for (unsigned i = 0; i < count; ++i) to[i] = value;
}

template <typename To, typename Of>
void Each(const float* from, To* to, unsigned count, Of of) {
  for (unsigned i = 0; i < count; ++i) to[i] = of(from[i]);
}

void Add(const Grid&, const float* from, float* to, unsigned count, float number) {
  Each(from, to, count, [&](float value) { return value + number; });
}
void Mul(const Grid&, const float* from, float* to, unsigned count, float number) {
  Each(from, to, count, [&](float value) { return value * number; });
}
void AddInt(const Grid&, const float* from, int* to, unsigned count, float number) {
  Each(from, to, count, [&](float value) { return static_cast<int>(value + number); });
}
void IsAbove(const Grid&, const float* from, bool* to, unsigned count, float number) {
  Each(from, to, count, [&](float value) { return value > number; });
}
void AddComplex(const Grid&, const float* from, Float2* to, unsigned count, float number) {
  Each(from, to, count, [&](float value) { return Float2{value + number, 0}; });
}

const hostcuda::Twin kSet("_Z3setPfjf", &Set);
const hostcuda::Twin kAdd("_Z3addPKfPfjf", &Add);
const hostcuda::Twin kHidden("_Z6hiddenPKfPfjf", &Add);
const hostcuda::Twin kLogits("_Z6logitsPKfPfjf", &Add);
const hostcuda::Twin kMul("_Z3mulPKfPfjf", &Mul);
const hostcuda::Twin kAddInt("_Z7add_intPKfPijf", &AddInt);
const hostcuda::Twin kIsAbove("_Z8is_abovePKfPbjf", &IsAbove);
const hostcuda::Twin kAddComplex("_Z11add_complexPKfP6float2jf", &AddComplex);

}  // namespace
