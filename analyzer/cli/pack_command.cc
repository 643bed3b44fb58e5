// `graphtap pack`: the text of `graphtap dump`, or one written by hand, as run files.

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "absl/strings/str_format.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/report_options.h"
#include "analyzer/export/entry_text.h"
#include "analyzer/export/frame_writer.h"
#include "analyzer/model/run_file_name.h"

namespace graphtap {
namespace {

struct PackArguments {
  std::string text;
  cli::OutputOptions output;
};

// What the text says, else what the run record would be called by the preload library.
std::string FileName(const exporting::TextFile& file) {
  if (!file.name.empty()) return file.name;
  model::RunFileName name;
  for (const auto& entry : file.entries) {
    if (!entry.has_run()) continue;
    name = {entry.run().host(), entry.run().pid(), entry.run().start_realtime_ns()};
    break;
  }
  return model::FormatRunFileName(name);
}

absl::Status Pack(const PackArguments& arguments) {
  std::ifstream in(arguments.text, std::ios::binary);
  if (!in) {
    return absl::NotFoundError(absl::StrFormat("%s: cannot be opened", arguments.text));
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto files = exporting::ParseEntryText(text);
  if (!files.ok()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s:%s", arguments.text, files.status().message()));
  }
  if (files->empty()) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: no entry in it", arguments.text));
  }
  for (const auto& file : *files) {
    exporting::FrameWriter writer(exporting::Compression::kZstd);
    for (const auto& entry : file.entries) writer.Append(entry);
    const auto status = cli::WriteOutput(arguments.output, FileName(file), [&](std::ostream& out) {
      out << writer.Take();
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

void AddPackCommand(CLI::App& root, int* exit_code) {
  auto arguments = std::make_shared<PackArguments>();
  CLI::App* command = root.add_subcommand(
      "pack", "Turns the text that `graphtap dump` prints into run files again.");
  command->add_option("text", arguments->text, "The text.")->option_text("TEXT")->required();
  cli::AddOutputOptions(command, &arguments->output);
  command->get_option("--output")->required();
  command->callback([arguments, exit_code] {
    const auto status = Pack(*arguments);
    *exit_code = status.ok() ? cli::kExitReportMade : cli::Refuse(status);
  });
}

}  // namespace graphtap
