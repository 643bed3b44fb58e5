#include "analyzer/tensors/series.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"

namespace graphtap::tensors {
namespace {

bool Matches(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

}  // namespace

std::vector<Series> SeriesOf(const model::Executable& executable) {
  std::map<std::pair<std::string, std::uint32_t>, Series> by_key;
  for (const auto* site : executable.sites) {
    auto& series = by_key[{site->name, site->invocation}];
    series.executable = &executable;
    series.sites.push_back(site);
  }
  for (const auto& observation : executable.observations) {
    by_key.at({observation.site->name, observation.site->invocation})
        .observations.push_back(&observation);
  }
  std::vector<Series> all;
  for (auto& [key, series] : by_key) all.push_back(std::move(series));
  const auto order = [](const Series& series) {
    const auto& record = series.sites.front()->record;
    return std::tuple(record.node(), record.role(), record.op(), record.parameter(),
                      record.offset());
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Series& a, const Series& b) { return order(a) < order(b); });
  return all;
}

std::string KeyText(const model::Site& site) {
  return absl::StrFormat("%s[%u]", site.name, site.invocation);
}

bool Selects(const std::string& pattern, const model::Site& site) {
  if (pattern.empty()) return true;
  const std::string graph = site.executable == nullptr ? "" : site.executable->key + '/';
  const std::string key = KeyText(site);
  return Matches(pattern, site.name) || Matches(pattern, graph + site.name) ||
         Matches(pattern, key) || Matches(pattern, graph + key);
}

}  // namespace graphtap::tensors
