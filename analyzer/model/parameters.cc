#include "analyzer/model/parameters.h"

#include <cstddef>

namespace graphtap::model {
namespace {

// How many records, the first ones, count for a graph: until its capture had ended, with those that
// its end brought about. Before the first reading nothing else is known.
std::size_t CountOf(const Process& process, const Graph& graph) {
  const auto& records = process.parameters;
  if (!graph.record.has_capture()) return records.size();
  const std::uint32_t own = graph.record.capture();
  const auto capture = process.captures.find(own);
  const bool ended = capture != process.captures.end() && capture->second.record.has_end_ns();
  std::size_t count = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool by_capture = records[i].has_captures() && records[i].captures() <= own + 1;
    if (by_capture || (ended && records[i].time_ns() <= capture->second.record.end_ns()))
      count = i + 1;
  }
  if (count > 0) return count;
  while (count < records.size() && records[count].time_ns() == records[0].time_ns()) ++count;
  return count;
}

}  // namespace

Parameters::Parameters(const Process& process, const Graph& graph) {
  const std::size_t count = CountOf(process, graph);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& record = process.parameters[i];
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
