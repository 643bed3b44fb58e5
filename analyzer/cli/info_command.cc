// `graphtap info`: what a run is and what is in it.

#include <memory>

#include "analyzer/cli/command.h"
#include "analyzer/cli/report_options.h"
#include "analyzer/report/info_report.h"

namespace graphtap {
namespace {

struct InfoArguments {
  cli::ReportOptions options;
  bool json = false;
};

}  // namespace

void AddInfoCommand(CLI::App& root, int* exit_code) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App* command = root.add_subcommand(
      "info",
      "Says what a run is: its processes, and the captures, graphs, executables and "
      "replays of each. `graphtap graphs` says what is in a graph.");
  cli::AddReportOptions(command, &arguments->options, cli::kTableLimitHelp);
  command->add_flag("--json", arguments->json, "Print JSON.");
  command->callback([arguments, exit_code] {
    const auto& options = arguments->options;
    const bool json = arguments->json;
    *exit_code = cli::MakeReport(
        options, json ? "info.json" : "info.txt", [&](const model::Run& run, std::ostream& out) {
          if (json) {
            cli::WriteJson(report::InfoJson(run, options.AllUnlessLimited()), out);
          } else {
            out << report::InfoText(run, options.TextLimit());
          }
          return absl::OkStatus();
        });
  });
}

}  // namespace graphtap
