// Closeness: whether a value is close to a reference, as torch.isclose decides it: in the
// arithmetic of the tensor's own type, each step rounded to it. float8, in which torch does not
// calculate, and its results are float32. Pure functions, any thread, no failure.
#pragma once

#include <complex>
#include <cstdint>

#include "proto/dtype.h"

namespace graphtap::arrays {

enum class Mode : std::uint8_t {
  kExact,     // equal bytes
  kAllclose,  // |candidate - reference| <= atol + rtol * |reference|; integers: equal
};

struct Tolerance {
  Mode mode = Mode::kExact;
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};

// To the nearest value of the type, ties to even; float16 and bfloat16 only, else as it is.
float RoundTo(Dtype dtype, float value);

// By the rule of kAllclose. `dtype` is a type of one of the widths: float for all up to float32.
bool IsClose(float candidate, float reference, Dtype dtype, const Tolerance& tolerance);
bool IsClose(double candidate, double reference, Dtype dtype, const Tolerance& tolerance);
bool IsClose(std::complex<float> candidate, std::complex<float> reference, Dtype dtype,
             const Tolerance& tolerance);
bool IsClose(std::complex<double> candidate, std::complex<double> reference, Dtype dtype,
             const Tolerance& tolerance);

}  // namespace graphtap::arrays
