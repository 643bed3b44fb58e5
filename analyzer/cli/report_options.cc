#include "analyzer/cli/report_options.h"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_format.h"
#include "analyzer/report/damage_report.h"

namespace graphtap::cli {
namespace {

absl::StatusOr<std::ofstream> OpenOutputFile(const OutputOptions& options,
                                             const std::string& file) {
  const auto path = std::filesystem::path(options.folder) / file;
  if (::mkdir(options.folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, absl::StrFormat("%s: cannot be made", options.folder));
  }
  std::error_code error;
  if (!options.overwrite && std::filesystem::exists(path, error)) {
    return absl::AlreadyExistsError(
        absl::StrFormat("%s: exists; --overwrite replaces it", path.string()));
  }
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) return absl::ErrnoToStatus(errno, absl::StrFormat("%s: cannot be made", path.string()));
  return out;
}

// "": it is a number of rows; else what is allowed.
std::string CheckLimit(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return absl::StrFormat("'%s': allowed is a number, 0 for no limit", text);
}

}  // namespace

void AddOutputOptions(CLI::App* command, OutputOptions* options) {
  command->add_option("--output,-o", options->folder, "Write into this folder, not on stdout.")
      ->option_text("DIR");
  command->add_flag("--overwrite", options->overwrite, "Replace a file that is there.");
}

void AddReportOptions(CLI::App* command, ReportOptions* options, const std::string& limit_help) {
  command->add_option("run", options->run, "A run folder, or one .gtap file of it.")
      ->option_text("RUN")
      ->required();
  command->add_option("--limit", options->limit, limit_help)
      ->option_text("N")
      ->check(CLI::Validator(CheckLimit, ""));
  AddOutputOptions(command, &options->output);
}

absl::Status WriteOutput(const OutputOptions& options, const std::string& file,
                         const std::function<absl::Status(std::ostream&)>& write) {
  if (options.folder.empty()) {
    const auto status = write(std::cout);
    std::cout.flush();
    if (!std::cout) return absl::DataLossError("standard output: cannot be written");
    return status;
  }
  auto out = OpenOutputFile(options, file);
  if (!out.ok()) return out.status();
  const auto status = write(*out);
  out->close();
  if (!*out) {
    return absl::DataLossError(absl::StrFormat("%s/%s: cannot be written", options.folder, file));
  }
  return status;
}

int MakeReport(const ReportOptions& options, const std::string& file,
               const std::function<absl::Status(const model::Run& run, std::ostream& out)>& write) {
  const auto run = model::LoadRun(options.run);
  if (!run.ok()) return Refuse(run.status());
  for (const auto& line : report::DamageLines(*run)) std::cerr << "graphtap: " << line << '\n';
  const auto status =
      WriteOutput(options.output, file, [&](std::ostream& out) { return write(*run, out); });
  return status.ok() ? kExitReportMade : Refuse(status);
}

void WriteJson(const nlohmann::ordered_json& json, std::ostream& out) {
  using Json = nlohmann::ordered_json;
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

int Refuse(const absl::Status& status) {
  std::cerr << "graphtap: " << status.message() << std::endl;
  return kExitBadInput;
}

}  // namespace graphtap::cli
