#include "proto/arrays/decimal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "proto/arrays/closeness.h"

namespace graphtap::arrays {
namespace {

// "-1.25e-07"
Decimal FromScientific(std::string_view text) {
  Decimal decimal;
  decimal.negative = text.starts_with('-');
  if (decimal.negative) text.remove_prefix(1);
  const auto e = text.find('e');
  decimal.exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  decimal.digits.clear();
  for (const char c : text.substr(0, e)) {
    if (c != '.') decimal.digits += c;
  }
  while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
  return decimal;
}

std::string Written(double value, std::chars_format format, int precision) {
  std::string text(400, '\0');
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  text.resize(error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0);
  return text;
}

std::string HalfScientific(double value) {
  std::string text;
  for (int precision = 0; precision < 10; ++precision) {
    text = Scientific(value, precision);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (RoundTo(Dtype::kFloat16, static_cast<float>(read)) == static_cast<float>(value)) break;
  }
  return text;
}

}  // namespace

std::string Scientific(double value, int precision) {
  return Written(value, std::chars_format::scientific, precision);
}

std::string Fixed(double value, int precision) {
  return Written(value, std::chars_format::fixed, precision);
}

FloatKind KindOfFloat(Dtype dtype) {
  if (dtype == Dtype::kFloat16) return FloatKind::kFloat16;
  const bool wide = dtype == Dtype::kFloat64 || dtype == Dtype::kComplex128;
  return wide ? FloatKind::kFloat64 : FloatKind::kFloat32;
}

int Decimal::fraction_digits() const {
  return std::max(0, static_cast<int>(digits.size()) - 1 - exponent);
}

std::string Decimal::Positional() const {
  std::string whole = exponent < 0 ? "0" : digits.substr(0, static_cast<std::size_t>(exponent) + 1);
  if (exponent >= 0) whole.resize(static_cast<std::size_t>(exponent) + 1, '0');
  std::string fraction;
  if (digits != "0") {
    if (exponent < 0) {
      fraction = std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    } else if (digits.size() > whole.size()) {
      fraction = digits.substr(whole.size());
    }
  }
  return (negative ? "-" : "") + whole + '.' + fraction;
}

Decimal Shortest(double value, FloatKind kind) {
  if (kind == FloatKind::kFloat16) return FromScientific(HalfScientific(value));
  char text[64];
  const auto end =
      kind == FloatKind::kFloat32
          ? std::to_chars(text, text + sizeof text, static_cast<float>(value),
                          std::chars_format::scientific)
          : std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  return FromScientific({text, static_cast<std::size_t>(end.ptr - text)});
}

std::string FloatText(double value, FloatKind kind) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const Decimal decimal = Shortest(value, kind);
  if (decimal.exponent >= -4 && decimal.exponent < 16) {
    const std::string text = decimal.Positional();
    return text.back() == '.' ? text + '0' : text;
  }
  std::string digits = decimal.digits;
  if (digits.size() > 1) digits.insert(1, ".");
  const std::string exponent = std::to_string(std::abs(decimal.exponent));
  return (decimal.negative ? "-" : "") + digits + (decimal.exponent < 0 ? "e-" : "e+") +
         (exponent.size() < 2 ? "0" : "") + exponent;
}

}  // namespace graphtap::arrays
