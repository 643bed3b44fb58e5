// `graphtap memory points`: the moments at which memory was looked at.

#include <memory>

#include "analyzer/cli/memory_commands.h"
#include "analyzer/cli/report_options.h"
#include "analyzer/report/points_report.h"

namespace graphtap {
namespace {

struct PointsArguments {
  cli::ReportOptions options;
  bool json = false;
};

int Points(const PointsArguments& arguments) {
  const auto& options = arguments.options;
  const char* file = arguments.json ? "memory-points.json" : "memory-points.txt";
  return cli::MakeReport(options, file, [&](const model::Run& run, std::ostream& out) {
    if (arguments.json) {
      cli::WriteJson(report::MemoryPointsJson(run, options.AllUnlessLimited()), out);
    } else {
      out << report::MemoryPointsText(run, options.TextLimit());
    }
    return absl::OkStatus();
  });
}

}  // namespace

void AddMemoryPoints(CLI::App& memory, int* exit_code) {
  auto arguments = std::make_shared<PointsArguments>();
  CLI::App* command = memory.add_subcommand(
      "points", "the moments at which memory was looked at, and what there was");
  cli::AddReportOptions(command, &arguments->options, cli::kTableLimitHelp);
  command->add_flag("--json", arguments->json, "Print JSON.");
  command->callback([arguments, exit_code] { *exit_code = Points(*arguments); });
}

}  // namespace graphtap
