// `graphtap dump`: the records of a run as text.

#include <memory>

#include "absl/strings/str_format.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/report_options.h"
#include "analyzer/reader/byte_source.h"
#include "analyzer/reader/entry_reader.h"
#include "analyzer/report/dump_text.h"

namespace graphtap {
namespace {

struct DumpArguments {
  cli::ReportOptions options;
  bool stable = false;
};

// Reads the file a second time: the model knows by now what all references point to.
absl::Status DumpProcess(const model::Process& process, std::size_t limit, std::ostream& out) {
  const auto source = reader::OpenFile(process.path);
  if (!source.ok()) return source.status();
  reader::EntryReader entries(**source);
  const report::DumpPrinter printer(process);
  out << printer.Head();
  Entry entry;
  for (std::size_t printed = 0; limit == 0 || printed < limit; ++printed) {
    const auto more = entries.Next(&entry);
    if (!more.ok()) return more.status();
    if (!*more) break;
    out << printer.Text(entry);
  }
  return absl::OkStatus();
}

absl::Status Dump(const DumpArguments& arguments, const model::Run& run, std::ostream& out) {
  const std::size_t limit = arguments.options.AllUnlessLimited();
  if (arguments.stable) {
    out << report::StableDump(run, limit);
    return absl::OkStatus();
  }
  for (const auto& process : run.processes) {
    const auto status = DumpProcess(*process, limit, out);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

void AddDumpCommand(CLI::App& root, int* exit_code) {
  auto arguments = std::make_shared<DumpArguments>();
  CLI::App* command = root.add_subcommand(
      "dump", "Prints the records of a run as protobuf text, with what they refer to as comments.");
  cli::AddReportOptions(command, &arguments->options,
                        "Print at most N records of each process; 0, the default: all.");
  command->add_flag("--stable", arguments->stable,
                    "Print only what is equal in two runs of one deterministic program, in an "
                    "order that does not depend on time.");
  command->callback([arguments, exit_code] {
    *exit_code = cli::MakeReport(
        arguments->options, "dump.txt",
        [&](const model::Run& run, std::ostream& out) { return Dump(*arguments, run, out); });
  });
}

}  // namespace graphtap
