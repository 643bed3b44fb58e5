#include "proto/arrays/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "proto/arrays/closeness.h"

namespace graphtap::arrays {
namespace {

constexpr int kPrecision = 8;

std::size_t Find(const std::string& text, char c) { return std::min(text.find(c), text.size()); }

void TrimZeros(std::string* text) {
  while (text->back() == '0') text->pop_back();
}

// As the type itself calculates it.
double InKind(FloatKind kind, double value) {
  if (kind == FloatKind::kFloat64) return value;
  const auto narrow = static_cast<float>(value);
  return kind == FloatKind::kFloat32 ? narrow : RoundTo(Dtype::kFloat16, narrow);
}

}  // namespace

FloatFormat::FloatFormat(std::span<const double> values, FloatKind kind, bool plus)
    : kind_(kind), plus_(plus) {
  std::vector<double> finite;
  bool negative_infinity = plus;
  for (const double value : values) {
    if (std::isfinite(value)) finite.push_back(value);
    if (std::isinf(value) && value < 0) negative_infinity = true;
  }
  exponents_ = NeedsExponents(finite);
  if (!finite.empty()) exponents_ ? FitExponents(finite) : FitPositional(finite);
  if (finite.size() == values.size()) return;
  const int offset = pad_right_ + 1;
  pad_left_ = std::max({pad_left_, 3 - offset, 3 + (negative_infinity ? 1 : 0) - offset});
}

bool FloatFormat::NeedsExponents(std::span<const double> finite) const {
  constexpr double kLeast = 0.0001, kRatio = 1000;
  const double most = kind_ == FloatKind::kFloat16 ? 1e3 : kind_ == FloatKind::kFloat32 ? 1e6 : 1e8;
  double largest = 0, smallest = INFINITY;
  for (const double value : finite) {
    if (value == 0) continue;
    largest = std::max(largest, std::abs(value));
    smallest = std::min(smallest, std::abs(value));
  }
  if (largest == 0) return false;
  return largest >= most || smallest < InKind(kind_, kLeast) ||
         InKind(kind_, largest / smallest) > kRatio;
}

// "-1.2500e-07"; trailing zeros are kept.
std::string FloatFormat::Scientific(double value, int precision) const {
  std::string text = arrays::Scientific(value, precision);
  if (plus_ && text.front() != '-') text.insert(0, "+");
  const std::size_t e = text.find('e');
  if (precision == 0) text.insert(e, ".");
  const auto digits = text.size() - text.find('e') - 2;
  if (static_cast<int>(digits) < exponent_digits_) {
    text.insert(text.find('e') + 2, static_cast<std::size_t>(exponent_digits_) - digits, '0');
  }
  return text;
}

std::string FloatFormat::Positional(double value) const {
  const Decimal decimal = Shortest(value, kind_);
  std::string text;
  if (decimal.fraction_digits() <= kPrecision) {
    text = decimal.Positional();
  } else {
    text = Fixed(value, kPrecision);
    TrimZeros(&text);
  }
  return plus_ && text.front() != '-' ? '+' + text : text;
}

void FloatFormat::FitExponents(std::span<const double> finite) {
  precision_ = 0;
  for (const double value : finite) {
    const auto digits = static_cast<int>(Shortest(value, kind_).digits.size()) - 1;
    if (digits <= kPrecision) {
      precision_ = std::max(precision_, digits);
      continue;
    }
    std::string text = arrays::Scientific(value, kPrecision);
    text.resize(Find(text, 'e'));
    TrimZeros(&text);
    precision_ = std::max(precision_, static_cast<int>(text.size() - Find(text, '.')) - 1);
  }
  for (const double value : finite) {
    const std::string text = Scientific(value, precision_);
    exponent_digits_ =
        std::max(exponent_digits_, static_cast<int>(text.size() - text.find('e') - 2));
    pad_left_ = std::max(pad_left_, static_cast<int>(Find(text, '.')));
  }
  pad_right_ = exponent_digits_ + 2 + precision_;
}

void FloatFormat::FitPositional(std::span<const double> finite) {
  for (const double value : finite) {
    const std::string text = Positional(value);
    const auto point = static_cast<int>(Find(text, '.'));
    pad_left_ = std::max(pad_left_, point);
    pad_right_ = std::max(pad_right_, static_cast<int>(text.size()) - point - 1);
  }
}

std::string FloatFormat::Word(double value) const {
  if (!std::isfinite(value)) {
    std::string text = std::isnan(value) ? "nan" : "inf";
    if (std::isinf(value) && value < 0) {
      text = "-inf";
    } else if (plus_) {
      text = '+' + text;
    }
    const int width = pad_left_ + pad_right_ + 1;
    return std::string(static_cast<std::size_t>(std::max(0, width - static_cast<int>(text.size()))),
                       ' ') +
           text;
  }
  std::string text = exponents_ ? Scientific(value, precision_) : Positional(value);
  const auto point = static_cast<int>(Find(text, '.'));
  text.insert(0, static_cast<std::size_t>(std::max(0, pad_left_ - point)), ' ');
  if (!exponents_) text.resize(static_cast<std::size_t>(pad_left_ + 1 + pad_right_), ' ');
  return text;
}

}  // namespace graphtap::arrays
