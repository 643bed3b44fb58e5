// `graphtap tensors list`: the places that were observed.

#include <memory>

#include "analyzer/cli/report_options.h"
#include "analyzer/cli/tensors_commands.h"
#include "analyzer/report/tensors_report.h"

namespace graphtap {
namespace {

struct ListArguments {
  cli::ReportOptions options;
  bool json = false;
};

int List(const ListArguments& arguments) {
  const auto& options = arguments.options;
  const char* file = arguments.json ? "tensors-list.json" : "tensors-list.txt";
  return cli::MakeReport(options, file, [&](const model::Run& run, std::ostream& out) {
    if (arguments.json) {
      cli::WriteJson(report::TensorsListJson(run, options.AllUnlessLimited()), out);
    } else {
      out << report::TensorsListText(run, options.TextLimit());
    }
    return absl::OkStatus();
  });
}

}  // namespace

void AddTensorsList(CLI::App& tensors, int* exit_code) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App* command = tensors.add_subcommand("list", "the places that were observed");
  cli::AddReportOptions(command, &arguments->options, cli::kTableLimitHelp);
  command->add_flag("--json", arguments->json, "Print JSON.");
  command->callback([arguments, exit_code] { *exit_code = List(*arguments); });
}

}  // namespace graphtap
