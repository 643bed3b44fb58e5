#include "analyzer/model/parameters.h"

#include <algorithm>
#include <limits>

namespace graphtap::model {
namespace {

// The records that count for a graph are those of so many captures and fewer.
std::uint32_t LastOf(const Process& process, const Graph& graph) {
  if (!graph.record.has_capture()) return std::numeric_limits<std::uint32_t>::max();
  const auto& records = process.parameters;
  const std::uint32_t own = graph.record.capture() + 1;
  // Before the first reading nothing else is known.
  return records.empty() ? own : std::max(own, records.front().captures());
}

}  // namespace

Parameters::Parameters(const Process& process, const Graph& graph) {
  const std::uint32_t last = LastOf(process, graph);
  for (const auto& record : process.parameters) {
    if (record.captures() > last) continue;
    const std::string name = process.StringAt(record.name());
    if (record.gone()) {
      ends_[record.address()].erase(name);
    } else {
      ends_[record.address()][name] = record.address() + record.bytes();
    }
  }
}

std::string Parameters::At(std::uint64_t address) const {
  for (auto at = ends_.upper_bound(address); at != ends_.begin();) {
    --at;
    for (const auto& [name, end] : at->second) {
      if (address < end) return name;
    }
    if (!at->second.empty()) break;
  }
  return "";
}

}  // namespace graphtap::model
