// Number formats: all numbers of one array as words of one width, as numpy's formatters choose it
// from the numbers that are shown. Owner: ArrayText. Threads: one. Failure: none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "proto/arrays/decimal.h"

namespace graphtap::arrays {

// numpy's FloatingFormat with precision 8, floatmode maxprec.
class FloatFormat {
 public:
  // `plus`: positive numbers have a sign too.
  FloatFormat(std::span<const double> values, FloatKind kind, bool plus);

  std::string Word(double value) const;

 private:
  bool NeedsExponents(std::span<const double> finite) const;
  std::string Scientific(double value, int precision) const;
  std::string Positional(double value) const;
  void FitExponents(std::span<const double> finite);
  void FitPositional(std::span<const double> finite);

  FloatKind kind_;
  bool plus_;
  bool exponents_ = false;
  int precision_ = 8;
  int exponent_digits_ = 2;
  int pad_left_ = 0, pad_right_ = 0;
};

}  // namespace graphtap::arrays
