#include "analyzer/report/element_json.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "proto/arrays/array_text.h"
#include "proto/arrays/decimal.h"
#include "proto/element.h"

namespace graphtap::report {
namespace {

template <typename Value>
Value As(const arrays::Element& element) {
  Value value;
  std::memcpy(&value, element.data(), sizeof value);
  return value;
}

}  // namespace

nlohmann::ordered_json ElementJson(const arrays::Element& element, Dtype dtype) {
  if (dtype == Dtype::kUint64) return As<std::uint64_t>(element);
  if (dtype == Dtype::kInt64) return As<std::int64_t>(element);
  if (dtype == Dtype::kBool) return ElementAt(element.data(), dtype) != 0;
  if (dtype == Dtype::kUnknown) return std::to_integer<unsigned>(element[0]);
  if (IsComplex(dtype)) return arrays::ElementText(element, dtype);
  const double value = ElementAt(element.data(), dtype);
  if (IsInteger(dtype)) return static_cast<std::int64_t>(value);
  return std::isfinite(value)
             ? nlohmann::ordered_json(value)
             : nlohmann::ordered_json(arrays::FloatText(value, arrays::FloatKind::kFloat64));
}

}  // namespace graphtap::report
