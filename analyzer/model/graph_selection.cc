#include "analyzer/model/graph_selection.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "absl/strings/str_format.h"

namespace graphtap::model {
namespace {

// Takes `prefix` and a number off the front of *text.
std::optional<std::uint32_t> TakeNumbered(std::string_view prefix, std::string_view* text) {
  if (!text->starts_with(prefix)) return std::nullopt;
  const auto digits = text->substr(prefix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return number;
}

absl::Status Unreadable(std::string_view text, std::string_view allowed) {
  return absl::InvalidArgumentError(
      absl::StrFormat("'%s': allowed is %s", std::string(text), std::string(allowed)));
}

bool MadeOf(const Process& process, const Executable& executable, const Graph& graph) {
  if (executable.graph == &graph) return true;
  return std::any_of(executable.updates.begin(), executable.updates.end(), [&](const auto& update) {
    if (!update.has_graph() || update.result() != 0) return false;
    const auto found = process.graphs.find(update.graph());
    return found != process.graphs.end() && &found->second == &graph;
  });
}

// How many of a thing the run has, for the message that one of them is not there.
std::string Has(std::string_view letter, std::uint64_t count) {
  if (count == 0) return "none";
  const std::string name(letter);
  return count == 1 ? name + "0" : absl::StrFormat("%s0 to %s%u", name, name, count - 1);
}

absl::Status NothingFound(const Run& run, const GraphSelection& selection) {
  std::uint32_t graphs = 0, executables = 0;
  for (const auto& process : run.processes) {
    for (const auto& [id, graph] : process->graphs) {
      graphs = std::max(graphs, graph.record.number() + 1);
    }
    for (const auto& [number, executable] : process->executables) {
      executables = std::max(executables, number + 1);
    }
  }
  std::string what;
  const auto add = [&](char letter, const std::optional<std::uint32_t>& number) {
    if (number) absl::StrAppendFormat(&what, "%s%c%u", what.empty() ? "" : " ", letter, *number);
  };
  add('p', selection.process);
  add('g', selection.graph);
  if (selection.version) absl::StrAppendFormat(&what, ".v%u", *selection.version);
  add('x', selection.executable);
  return absl::NotFoundError(absl::StrFormat(
      "%s: no graph is selected by %s; processes: %s, graphs: %s, executables: %s", run.path, what,
      Has("p", run.processes.size()), Has("g", graphs), Has("x", executables)));
}

bool IsSelected(const Graph& graph, const GraphSelection& selection) {
  if (selection.graph && (graph.lost || graph.record.number() != *selection.graph)) return false;
  return !selection.version || graph.record.version() == *selection.version;
}

void AddProcess(const Process& process, const GraphSelection& selection,
                std::vector<SelectedGraph>* found) {
  for (const auto& [id, graph] : process.graphs) {
    if (!IsSelected(graph, selection)) continue;
    SelectedGraph selected = {.process = &process, .graph = &graph, .executables = {}};
    for (const auto& [number, executable] : process.executables) {
      if (selection.executable && number != *selection.executable) continue;
      if (MadeOf(process, executable, graph)) selected.executables.push_back(&executable);
    }
    if (selection.executable && selected.executables.empty()) continue;
    found->push_back(std::move(selected));
  }
}

}  // namespace

absl::Status SelectProcess(std::string_view text, GraphSelection* selection) {
  auto rest = text;
  selection->process = TakeNumbered("p", &rest);
  if (selection->process && rest.empty()) return absl::OkStatus();
  return Unreadable(text, "a process like p0");
}

absl::Status SelectGraph(std::string_view text, GraphSelection* selection) {
  auto rest = text;
  selection->graph = TakeNumbered("g", &rest);
  if (selection->graph && !rest.empty()) selection->version = TakeNumbered(".v", &rest);
  if (selection->graph && rest.empty()) return absl::OkStatus();
  return Unreadable(text, "a graph like g3 or one version like g3.v1");
}

absl::Status SelectExecutable(std::string_view text, GraphSelection* selection) {
  auto rest = text;
  selection->executable = TakeNumbered("x", &rest);
  if (selection->executable && rest.empty()) return absl::OkStatus();
  return Unreadable(text, "an executable like x3");
}

absl::StatusOr<std::vector<SelectedGraph>> FindGraphs(const Run& run,
                                                      const GraphSelection& selection) {
  std::vector<SelectedGraph> found;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    if (selection.process && i != *selection.process) continue;
    const std::size_t first = found.size();
    AddProcess(*run.processes[i], selection, &found);
    std::stable_sort(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                     [](const auto& a, const auto& b) {
                       return std::tuple(a.graph->record.number(), a.graph->record.version()) <
                              std::tuple(b.graph->record.number(), b.graph->record.version());
                     });
  }
  const bool selective =
      selection.process || selection.graph || selection.version || selection.executable;
  if (found.empty() && selective) return NothingFound(run, selection);
  return found;
}

}  // namespace graphtap::model
