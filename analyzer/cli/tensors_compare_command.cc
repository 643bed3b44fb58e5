// `graphtap tensors compare`: how what two runs observed differs.

#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "analyzer/cli/report_options.h"
#include "analyzer/cli/tensors_commands.h"
#include "analyzer/report/compare_report.h"
#include "analyzer/report/damage_report.h"

namespace graphtap {
namespace {

constexpr int kExitDifferent = 1;  // mismatch or inconclusive

struct CompareArguments {
  std::string candidate;
  cli::ReportOptions options;  // its run is the reference
  tensors::CompareOptions compare;
  std::string mode = "exact", pair = "replay";
  std::vector<std::string> map;
  bool json = false, only_changed = false;
};

absl::Status ParseArguments(CompareArguments* arguments) {
  auto& tolerance = arguments->compare.tolerance;
  auto& pairing = arguments->compare.pairing;
  tolerance.mode = arguments->mode == "exact" ? arrays::Mode::kExact : arrays::Mode::kAllclose;
  pairing.by = arguments->pair == "nth"     ? tensors::PairBy::kNth
               : arguments->pair == "label" ? tensors::PairBy::kLabel
                                            : tensors::PairBy::kReplay;
  for (const auto& [name, value] :
       {std::pair("--rtol", tolerance.rtol), std::pair("--atol", tolerance.atol)}) {
    if (std::isfinite(value) && value >= 0) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("%s %g: allowed is a finite number from 0", name, value));
  }
  for (const auto& text : arguments->map) {
    if (const auto status = tensors::AddToMap(text, &pairing); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void PrintDamage(const char* side, const model::Run& run) {
  for (const auto& line : report::DamageLines(run)) {
    std::cerr << "graphtap: " << side << ": " << line << '\n';
  }
}

absl::StatusOr<int> Compare(const CompareArguments& arguments) {
  const auto reference = model::LoadRun(arguments.options.run);
  if (!reference.ok()) return reference.status();
  const auto candidate = model::LoadRun(arguments.candidate);
  if (!candidate.ok()) return candidate.status();
  PrintDamage("reference", *reference);
  PrintDamage("candidate", *candidate);
  const auto result = tensors::CompareRuns(*reference, *candidate, arguments.compare);
  if (!result.ok()) return result.status();
  const report::CompareInput input = {*reference, *candidate, arguments.compare, *result};
  const auto& options = arguments.options;
  const report::CompareReportOptions shown = {
      .limit = arguments.json ? options.AllUnlessLimited() : options.TextLimit(),
      .only_changed = arguments.only_changed};
  const char* file = arguments.json ? "tensors-compare.json" : "tensors-compare.txt";
  const auto status = cli::WriteOutput(options.output, file, [&](std::ostream& out) {
    if (arguments.json) {
      cli::WriteJson(report::CompareJson(input, shown), out);
    } else {
      out << report::CompareText(input, shown);
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return result->status == tensors::Status::kMatch ? cli::kExitReportMade : kExitDifferent;
}

int CompareOrRefuse(CompareArguments* arguments) {
  const auto status = ParseArguments(arguments);
  if (!status.ok()) return cli::Refuse(status);
  const auto exit_code = Compare(*arguments);
  return exit_code.ok() ? *exit_code : cli::Refuse(exit_code.status());
}

}  // namespace

void AddTensorsCompare(CLI::App& tensors, int* exit_code) {
  auto arguments = std::make_shared<CompareArguments>();
  auto& tolerance = arguments->compare.tolerance;
  CLI::App* command = tensors.add_subcommand("compare", "how what two runs observed differs");
  cli::AddReportOptions(command, &arguments->options, cli::kTableLimitHelp);
  command->get_option("run")->option_text("REF");
  command->add_option("candidate", arguments->candidate, "The run to be compared with it.")
      ->option_text("CAND")
      ->required();
  command
      ->add_option("--mode", arguments->mode,
                   "exact (the default): equal bytes; allclose: within "
                   "atol + rtol * |reference|.")
      ->option_text("MODE")
      ->check(CLI::IsMember({"exact", "allclose"}));
  command->add_option("--rtol", tolerance.rtol, "Default 1e-5.")->option_text("X");
  command->add_option("--atol", tolerance.atol, "Default 1e-8.")->option_text("X");
  command->add_flag("--equal-nan", tolerance.equal_nan, "A NaN equals a NaN.");
  command
      ->add_option("--pair", arguments->pair,
                   "Which replays are compared: replay (the default): of the same number; nth: "
                   "the k-th observed with the k-th observed; label: of the same name x<k>@<n>.")
      ->option_text("HOW")
      ->check(CLI::IsMember({"replay", "nth", "label"}));
  command
      ->add_option("--map", arguments->map,
                   "Pair these two graph keys; with --pair label these two labels "
                   "(replay:x3@100). May be repeated.")
      ->option_text("REF=CAND")
      ->allow_extra_args(false);
  command->add_flag("--only-changed", arguments->only_changed, "Leave out what matches.");
  command->add_flag("--json", arguments->json, "Print JSON.");
  command->callback([arguments, exit_code] { *exit_code = CompareOrRefuse(arguments.get()); });
}

}  // namespace graphtap
