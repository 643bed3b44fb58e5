#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/model/graph_summary.h"
#include "analyzer/model/parameters.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/graphs_report.h"
#include "analyzer/report/node_text.h"
#include "analyzer/report/place_words.h"
#include "analyzer/report/process_words.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

std::string Title(const model::SelectedGraph& selected, const model::GraphSummary& summary) {
  const auto& graph = *selected.graph;
  std::string text = graph.name;
  if (!graph.key.empty()) text += "  " + graph.key;
  if (graph.record.has_capture()) {
    absl::StrAppendFormat(&text, "  from capture c%u", graph.record.capture());
  }
  if (graph.record.eager()) text += "  eager steps";
  absl::StrAppendFormat(&text, "  %s, %s", Count(graph.nodes.size(), "node"),
                        Count(summary.edges, "edge"));
  if (summary.programmatic_edges > 0) {
    absl::StrAppendFormat(&text, " (%s programmatic)", Count(summary.programmatic_edges));
  }
  return text + '\n';
}

std::string KindsText(const model::GraphSummary& summary) {
  std::string text;
  for (const auto& [kind, count] : summary.kinds) {
    absl::StrAppendFormat(&text, "%s%s %s", text.empty() ? "" : ", ", Count(count),
                          NodeKindName(kind));
  }
  return text;
}

std::string OperandsText(const model::OperandCount& operands) {
  std::string text = Count(operands.all);
  std::string grades;
  for (const auto& [grade, count] : operands.by_grade) {
    absl::StrAppendFormat(&grades, "%s%s %s", grades.empty() ? "" : ", ", Count(count),
                          GradeName(grade));
  }
  absl::StrAppendFormat(&text, ": %s; %s of exact extent", grades, Count(operands.exact));
  if (operands.host > 0) absl::StrAppendFormat(&text, "; %s in host memory", Count(operands.host));
  return text;
}

std::string OpsFact(const model::Graph& graph, const model::GraphSummary& summary) {
  std::uint64_t ops = 0, outputs = 0, inputs = 0;
  std::string gradients;
  for (const auto& count : summary.ops) {
    ops += count.ops;
    outputs += count.outputs;
    inputs += count.inputs;
  }
  if (summary.gradients > 0) gradients = "; " + Count(summary.gradients, "gradient");
  return absl::StrFormat("%s, with %s and %s; %s of %s have one%s", Count(ops),
                         Count(outputs, "output"), Count(inputs, "written argument"),
                         Count(summary.nodes_with_op), Count(graph.nodes.size(), "node"),
                         gradients);
}

std::string FactsText(const model::Graph& graph, const model::GraphSummary& summary) {
  Table table(2, {"", ""});
  if (!summary.kinds.empty()) table.AddRow({"kinds", KindsText(summary)});
  if (!summary.ops.empty()) table.AddRow({"operators", OpsFact(graph, summary)});
  if (summary.operands.all > 0) table.AddRow({"operands", OperandsText(summary.operands)});
  if (summary.unread_nodes > 0) {
    table.AddRow(
        {"unread", Count(summary.unread_nodes, "node") + " that the driver did not describe"});
  }
  if (summary.missing_nodes > 0) {
    table.AddRow({"missing", Count(summary.missing_nodes, "node") + " lost from the file"});
  }
  return table.Text();
}

std::string ScopesText(const model::GraphSummary& summary, std::size_t limit) {
  if (summary.scopes.size() == 1 && summary.scopes.front().scope.empty()) return "";
  Table table(2, {"scope", ">nodes", ">kernels"});
  for (const auto& count : summary.scopes) {
    table.AddRow(
        {count.scope.empty() ? "(none)" : count.scope, Count(count.nodes), Count(count.kernels)});
  }
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "scopes");
}

std::string KernelsText(const model::GraphSummary& summary, std::size_t limit) {
  Table table(2, {">nodes", "kernel", ">variants", "grid", "block"});
  for (const auto& count : summary.kernels) {
    const auto& kernel = count.example->record.parameters().kernel();
    const bool alike = count.shapes == 1;
    table.AddRow(
        {Count(count.nodes), count.short_name, count.variants > 1 ? Count(count.variants) : "",
         alike ? GridText(kernel) : Count(count.shapes, "shape"), alike ? BlockText(kernel) : ""});
  }
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "kernels");
}

std::string OpsText(const model::GraphSummary& summary, std::size_t limit) {
  Table table(2, {">operators", "operator", ">nodes", ">outputs", ">written"});
  for (const auto& count : summary.ops) {
    table.AddRow({Count(count.ops), count.label, Count(count.nodes),
                  count.outputs > 0 ? Count(count.outputs) : "",
                  count.inputs > 0 ? Count(count.inputs) : ""});
  }
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "operators");
}

std::string RegionsText(const model::GraphSummary& summary, std::size_t limit) {
  Table table(2, {">nodes", "region", "compiled", "from", "called at"});
  for (const auto& count : summary.regions) {
    const model::Region& region = *count.example->stack->region;
    table.AddRow({Count(count.nodes), count.example->compile_id, RegionName(region),
                  FrameText(region.function), FrameText(region.caller)});
  }
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "regions");
}

std::string ReplayNumbers(const model::Executable& executable) {
  if (executable.replays.empty()) return "";
  return absl::StrFormat("%s to %s", Count(executable.replays.front().first),
                         Count(executable.replays.back().last));
}

std::string ExecutablesText(const model::SelectedGraph& selected, std::size_t limit) {
  Table table(2, {"executable", "key", "made by", "flags", ">replays", "numbers", ">rate",
                  "streams", ">failed launches"});
  for (const auto* executable : selected.executables) {
    const auto& record = executable->record;
    const auto rate = executable->rate();
    const auto call = record.has_call() ? selected.process->StringAt(record.call()) : "?";
    table.AddRow({executable->name, executable->key,
                  executable->graph == selected.graph ? call : "update",
                  InstantiateFlagNames(record.flags()), ReplayCountText(*executable),
                  ReplayNumbers(*executable), rate ? Rate(*rate) : "",
                  StreamNames(*selected.process, executable->streams),
                  executable->failures.empty() ? "" : Count(executable->failures.size())});
  }
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "executables");
}

std::string ChangeResult(std::uint32_t result, std::uint32_t update_result) {
  if (result == 0) return "ok";
  std::string text = ResultName(result);
  return update_result == 0 ? text : text + ": " + UpdateResultName(update_result);
}

void AddChanges(const model::SelectedGraph& selected, Table* table) {
  for (const auto* executable : selected.executables) {
    for (const auto& group : model::GroupUpdates(*selected.process, *executable)) {
      if (group.destroyed) continue;
      const bool once = group.first_after == group.last_after;
      table->AddRow(
          {executable->name, group.call, group.graph == nullptr ? "" : group.graph->name,
           group.nodes > 0 ? Count(group.nodes, "node") : "", Count(group.count),
           once ? Count(group.first_after)
                : absl::StrFormat("%s to %s", Count(group.first_after), Count(group.last_after)),
           ChangeResult(group.result, group.update_result)});
    }
  }
}

void AddFailedInstantiations(const model::SelectedGraph& selected, Table* table) {
  for (const auto& update : selected.process->failed_instantiations) {
    const auto found = selected.process->graphs.find(update.graph());
    if (found == selected.process->graphs.end() || &found->second != selected.graph) continue;
    table->AddRow({"-", selected.process->StringAt(update.call()), selected.graph->name, "", "1",
                   "", ChangeResult(update.result(), update.update_result())});
  }
}

std::string ChangesText(const model::SelectedGraph& selected, std::size_t limit) {
  Table table(2, {"change of", "call", "to graph", "on", ">times", ">after replay", "result"});
  AddChanges(selected, &table);
  AddFailedInstantiations(selected, &table);
  return table.rows() == 0 ? "" : '\n' + table.Text(limit, "changes");
}

std::string ParameterText(const std::string& name) {
  return name.empty() ? "" : ", parameter " + name;
}

// The arguments of a node in their order; of a large one its bytes, then the addresses in it.
// An operator's tensors stand behind what the node itself names, gradients last, with whose they
// are.
std::string NodeDetails(const model::Graph& graph, const model::Node& node,
                        const model::Parameters& names) {
  std::multimap<std::tuple<bool, std::uint32_t, std::int64_t>, std::vector<std::string>> rows,
      gradients;
  const auto& parameters = node.record.parameters();
  for (const auto& scalar : parameters.kernel().scalars()) {
    rows.emplace(std::tuple(false, scalar.parameter(), -1),
                 std::vector{absl::StrFormat(".arg%u", scalar.parameter()), ScalarText(scalar)});
  }
  for (const auto& operand : parameters.operands()) {
    const bool of_op = operand.grade() == Operand::GRADE_OP;
    const auto place = std::tuple(of_op, operand.parameter(), std::int64_t{operand.offset()});
    const std::string name = GradientKey(graph, operand) + model::OperandName(operand);
    const std::string text = OperandText(operand) + ParameterText(names.At(operand.address()));
    (operand.has_op() ? gradients : rows).emplace(place, std::vector{name, text});
  }
  Table table(8, {"", ""});
  for (const auto& [place, row] : rows) table.AddRow(row);
  for (const auto& [place, row] : gradients) table.AddRow(row);
  return table.Text();
}

// "aten::add.Tensor[3]", "aten::linear[0] > aten::mm": what ran inside comes last.
std::string OpText(const model::Node& node) {
  if (node.op == nullptr) return "";
  std::string text = absl::StrFormat("%s[%u]", node.op->label, node.op->record.invocation());
  return node.inner_op.empty() ? text : text + " > " + node.inner_op;
}

std::string NodesText(const model::Process& process, const model::Graph& graph) {
  const model::Parameters names(process, graph);
  Table table(2, {"node", "kind", "after", "scope", "operator", "called at", "compiled", "what"});
  for (const auto& node : graph.nodes) {
    table.AddRow({node.path, NodeKindName(node.record.parameters().kind()), DependenciesText(node),
                  node.scope, OpText(node), PlaceText(node.stack), RegionText(node),
                  ActionText(node)});
  }
  // The details of a node go below its row.
  std::string text = "\n";
  const std::string rows = table.Text();
  std::size_t at = rows.find('\n') + 1;
  text += rows.substr(0, at);
  for (const auto& node : graph.nodes) {
    const std::size_t end = rows.find('\n', at) + 1;
    text += rows.substr(at, end - at) + NodeDetails(graph, node, names);
    at = end;
  }
  return text;
}

std::string GraphText(const model::SelectedGraph& selected, const GraphsOptions& options) {
  const auto summary = model::Summarize(*selected.graph);
  std::string text = Title(selected, summary);
  text += FactsText(*selected.graph, summary);
  text += ScopesText(summary, options.limit);
  text += KernelsText(summary, options.limit);
  text += OpsText(summary, options.limit);
  text += RegionsText(summary, options.limit);
  text += ExecutablesText(selected, options.limit);
  text += ChangesText(selected, options.limit);
  const std::size_t nodes = selected.graph->nodes.size();
  if (nodes == 0) return text;
  if (options.nodes || nodes <= kListedNodes)
    return text + NodesText(*selected.process, *selected.graph);
  return text + absl::StrFormat("\n  %s: --nodes lists them\n", Count(nodes, "node"));
}

}  // namespace

std::string GraphsText(const Graphs& graphs, const GraphsOptions& options) {
  if (graphs.empty()) return "no graph was instantiated\n";
  std::string text;
  const model::Process* process = nullptr;
  std::size_t shown = 0;
  for (const auto& selected : graphs) {
    if (options.limit > 0 && shown == options.limit) break;
    if (selected.process != process) {
      absl::StrAppendFormat(&text, "%s%s\n", text.empty() ? "" : "\n",
                            ProcessTitle(*selected.process));
    }
    process = selected.process;
    text += '\n' + GraphText(selected, options);
    ++shown;
  }
  if (shown < graphs.size()) {
    absl::StrAppendFormat(&text, "\n… %s of %s graphs not shown (--limit 0 shows all, -g one)\n",
                          Count(graphs.size() - shown), Count(graphs.size()));
  }
  return text;
}

}  // namespace graphtap::report
