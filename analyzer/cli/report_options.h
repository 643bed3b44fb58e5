// ReportOptions: what all commands about a run have in common on their command line, and where
// their output goes. Owner: the command. Threads: one. Failure: a status of one line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "analyzer/model/run.h"

namespace graphtap::cli {

inline constexpr int kExitReportMade = 0;
inline constexpr int kExitBadInput = 2;
inline constexpr std::size_t kTextLimit = 20;  // rows of a table in text, unless --limit says
inline constexpr const char* kTableLimitHelp =
    "Rows in each table; 0: all. Default: 20 in text, all in JSON.";

struct OutputOptions {
  std::string folder;  // "": standard output
  bool overwrite = false;
};

struct ReportOptions {
  std::string run;
  OutputOptions output;
  std::optional<std::size_t> limit;

  std::size_t TextLimit() const { return limit.value_or(kTextLimit); }
  std::size_t AllUnlessLimited() const { return limit.value_or(0); }
};

void AddOutputOptions(CLI::App* command, OutputOptions* options);

// RUN, --limit and the output options.
void AddReportOptions(CLI::App* command, ReportOptions* options, const std::string& limit_help);

// Calls `write` with standard output, or with the new file <folder>/<file>. An existing file is
// refused without --overwrite.
absl::Status WriteOutput(const OutputOptions& options, const std::string& file,
                         const std::function<absl::Status(std::ostream&)>& write);

// Loads the run, prints on stderr what is missing from it, and has `write` print the report.
// Returns the exit code.
int MakeReport(const ReportOptions& options, const std::string& file,
               const std::function<absl::Status(const model::Run& run, std::ostream& out)>& write);

// Indented, with a line end; text that is no UTF-8 is replaced.
void WriteJson(const nlohmann::ordered_json& json, std::ostream& out);

// Prints "graphtap: <message>" on stderr; the exit code for it.
int Refuse(const absl::Status& status);

}  // namespace graphtap::cli
