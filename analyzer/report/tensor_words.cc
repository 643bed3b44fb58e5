#include "analyzer/report/tensor_words.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/units.h"
#include "proto/arrays/decimal.h"
#include "proto/lists/losses.h"
#include "proto/lists/skips.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

template <typename Infos, typename Number>
std::string NameIn(const Infos& infos, Number Infos::value_type::* number, std::uint32_t wanted,
                   const char* what) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const auto& info) {
    return static_cast<std::uint32_t>(info.*number) == wanted;
  });
  return found == infos.end() ? absl::StrFormat("%s %u of a newer graphtap", what, wanted)
                              : found->name;
}

}  // namespace

std::string HashText(std::uint64_t hash) { return absl::StrFormat("%016x", hash); }

std::string ExtentText(const model::Site& site) {
  return Bytes(site.bytes()) + (site.exact() ? "" : " (cut)");
}

std::string ActionsText(const model::Site& site) {
  std::string text;
  const auto add = [&](bool wanted, const std::string& action) {
    if (wanted) text += (text.empty() ? "" : "+") + action;
  };
  const auto& record = site.record;
  add(record.digest(), "digest");
  add(record.hash() && !record.digest(), "hash");
  add(record.copy(), record.copy_bytes() == site.bytes()
                         ? "copy"
                         : absl::StrFormat("copy:%u", record.copy_bytes()));
  return text;
}

std::string NodePath(const model::Site& site) {
  return absl::StrFormat("x%u/%s", site.record.executable(),
                         site.node == nullptr ? "?" : site.node->path);
}

std::string StatisticsText(const Statistics& values) {
  std::string text = Count(values.elements(), "element");
  const auto count = [&](std::uint64_t number, const char* what) {
    if (number > 0) absl::StrAppendFormat(&text, ", %s %s", Count(number), what);
  };
  count(values.nan(), "nan");
  count(values.positive_infinity(), "inf");
  count(values.negative_infinity(), "-inf");
  count(values.zero(), "zero");
  const auto measure = [&](bool known, double value, const char* what) {
    if (known) {
      absl::StrAppendFormat(&text, ", %s %s", what,
                            arrays::FloatText(value, arrays::FloatKind::kFloat64));
    }
  };
  measure(values.has_minimum(), values.minimum(), "min");
  measure(values.has_maximum(), values.maximum(), "max");
  measure(values.has_mean(), values.mean(), "mean");
  measure(values.has_deviation(), values.deviation(), "std");
  measure(values.has_l2(), values.l2(), "l2");
  return text;
}

std::string SkipText(std::uint32_t skip) { return NameIn(kSkips, &SkipInfo::skip, skip, "reason"); }

std::string LossText(std::uint32_t cause) {
  return NameIn(kLosses, &LossInfo::loss, cause, "cause");
}

Json SiteJson(const model::Site& site) {
  Json json;
  json["graph_key"] = site.executable == nullptr ? Json() : Json(site.executable->key);
  json["name"] = site.name;
  json["invocation"] = site.invocation;
  json["executable"] = absl::StrFormat("x%u", site.record.executable());
  json["node"] = NodePath(site);
  json["operand"] = site.operand;
  json["grade"] = GradeName(site.record.grade());
  json["dtype"] = DtypeName(site.dtype);
  json["bytes"] = site.bytes();
  json["exact"] = site.exact();
  return json;
}

Json NumberJson(double value) {
  return std::isfinite(value) ? Json(value)
                              : Json(arrays::FloatText(value, arrays::FloatKind::kFloat64));
}

Json StatisticsJson(const Statistics& values) {
  const auto measure = [](bool known, double value) { return known ? NumberJson(value) : Json(); };
  Json json;
  json["numel"] = values.elements();
  json["finite"] = values.finite();
  json["nan"] = values.nan();
  json["pos_inf"] = values.positive_infinity();
  json["neg_inf"] = values.negative_infinity();
  json["zero"] = values.zero();
  json["min"] = measure(values.has_minimum(), values.minimum());
  json["max"] = measure(values.has_maximum(), values.maximum());
  json["mean"] = measure(values.has_mean(), values.mean());
  json["std"] = measure(values.has_deviation(), values.deviation());
  json["l2"] = measure(values.has_l2(), values.l2());
  return json;
}

}  // namespace graphtap::report
