// Decimal: floating-point numbers in decimal digits. Pure functions, any thread, no failure.
#pragma once

#include <cstdint>
#include <string>

#include "proto/dtype.h"

namespace graphtap::arrays {

// How precise a number was stored. What numpy has no type for (bfloat16, float8) counts as float32.
enum class FloatKind : std::uint8_t { kFloat16, kFloat32, kFloat64 };
FloatKind KindOfFloat(Dtype dtype);  // of complex types: of their parts

// d.ddd * 10^exponent, without trailing zeros.
struct Decimal {
  bool negative = false;
  std::string digits = "0";
  int exponent = 0;

  // Digits behind the point when it is written without an exponent.
  int fraction_digits() const;
  std::string Positional() const;  // "-12.5", "3."
};

// The fewest digits that give the finite number back when they are read in its own precision.
Decimal Shortest(double value, FloatKind kind);

// As printf writes it in the C locale: "%.*e", "%.*f". The job's locale has no say.
std::string Scientific(double value, int precision);
std::string Fixed(double value, int precision);

// As Python writes a float: "4.0", "1e-05", "nan", "-inf".
std::string FloatText(double value, FloatKind kind);

}  // namespace graphtap::arrays
