// `graphtap graphs`: what is in each graph.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/report_options.h"
#include "analyzer/model/graph_selection.h"
#include "analyzer/report/graphs_report.h"

namespace graphtap {
namespace {

struct GraphsArguments {
  cli::ReportOptions options;
  bool json = false, dot = false, nodes = false;
  std::string process, graph, executable;
};

absl::Status ParseSelection(const GraphsArguments& arguments, model::GraphSelection* selection) {
  absl::Status status;
  if (!arguments.process.empty()) status = model::SelectProcess(arguments.process, selection);
  if (status.ok() && !arguments.graph.empty()) {
    status = model::SelectGraph(arguments.graph, selection);
  }
  if (status.ok() && !arguments.executable.empty()) {
    status = model::SelectExecutable(arguments.executable, selection);
  }
  return status;
}

absl::Status Report(const GraphsArguments& arguments, const model::GraphSelection& selection,
                    const model::Run& run, std::ostream& out) {
  const auto graphs = model::FindGraphs(run, selection);
  if (!graphs.ok()) return graphs.status();
  const auto& options = arguments.options;
  const bool text = !arguments.json && !arguments.dot;
  const report::GraphsOptions report_options = {
      .limit = text ? options.TextLimit() : options.AllUnlessLimited(), .nodes = arguments.nodes};
  if (arguments.json) {
    cli::WriteJson(report::GraphsJson(run, *graphs, report_options), out);
  } else if (arguments.dot) {
    out << report::GraphsDot(*graphs, report_options);
  } else {
    out << report::GraphsText(*graphs, report_options);
  }
  return absl::OkStatus();
}

int ReportGraphs(const GraphsArguments& arguments) {
  model::GraphSelection selection;
  const auto status = ParseSelection(arguments, &selection);
  if (!status.ok()) return cli::Refuse(status);
  const char* file = arguments.json ? "graphs.json" : arguments.dot ? "graphs.dot" : "graphs.txt";
  return cli::MakeReport(arguments.options, file, [&](const model::Run& run, std::ostream& out) {
    return Report(arguments, selection, run, out);
  });
}

}  // namespace

void AddGraphsCommand(CLI::App& root, int* exit_code) {
  auto arguments = std::make_shared<GraphsArguments>();
  CLI::App* command = root.add_subcommand(
      "graphs",
      "Says what is in each graph: scopes, kernels, operands, edges; the executables "
      "made of it, their changes and replays. Small graphs are listed node by node.");
  cli::AddReportOptions(command, &arguments->options, cli::kTableLimitHelp);
  command->add_option("-p,--process", arguments->process, "Only this process.")->option_text("pK");
  command->add_option("-g,--graph", arguments->graph, "Only this graph, or this version of it.")
      ->option_text("gK[.vV]");
  command->add_option("-x,--executable", arguments->executable, "Only the graphs of this one.")
      ->option_text("xK");
  command->add_flag("--nodes", arguments->nodes, "List the nodes of every graph.");
  auto* json = command->add_flag("--json", arguments->json, "Print JSON.");
  command->add_flag("--dot", arguments->dot, "Print Graphviz text.")->excludes(json);
  command->callback([arguments, exit_code] { *exit_code = ReportGraphs(*arguments); });
}

}  // namespace graphtap
