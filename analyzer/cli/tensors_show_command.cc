// `graphtap tensors show`: observations, with the values that were copied.

#include <charconv>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "analyzer/cli/report_options.h"
#include "analyzer/cli/tensors_commands.h"
#include "analyzer/report/tensors_report.h"

namespace graphtap {
namespace {

struct ShowArguments {
  cli::ReportOptions options;
  report::ShowOptions show;
  std::string replay, as, shape;
  bool json = false;
};

bool ParseNumber(std::string_view text, std::uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

absl::Status ParseDtype(const std::string& text, std::optional<Dtype>* dtype) {
  *dtype = FindDtype(text);
  if (*dtype) return absl::OkStatus();
  std::vector<std::string> names;
  for (std::uint32_t number = 1; DtypeOf(number) != Dtype::kUnknown; ++number) {
    names.emplace_back(DtypeName(DtypeOf(number)));
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("--as '%s': allowed is one of %s", text, absl::StrJoin(names, ", ")));
}

// "4x8" or "4,8".
absl::Status ParseShape(const std::string& text, std::vector<std::uint64_t>* shape) {
  std::uint64_t elements = 1;
  for (const absl::string_view axis : absl::StrSplit(text, absl::ByAnyChar("x,"))) {
    std::uint64_t size = 0;
    if (!ParseNumber({axis.data(), axis.size()}, &size) || size == 0 ||
        __builtin_mul_overflow(elements, size, &elements)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "--shape '%s': allowed are numbers from 1 with x between them, as 4x8", text));
    }
    shape->push_back(size);
  }
  return absl::OkStatus();
}

absl::Status ParseArguments(ShowArguments* arguments) {
  absl::Status status;
  auto& show = arguments->show;
  if (!arguments->replay.empty() && !ParseNumber(arguments->replay, &show.replay.emplace())) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--replay '%s': allowed is the number of a replay", arguments->replay));
  }
  if (!arguments->as.empty()) status = ParseDtype(arguments->as, &show.as);
  if (status.ok() && !arguments->shape.empty()) status = ParseShape(arguments->shape, &show.shape);
  return status;
}

int Show(ShowArguments* arguments) {
  const auto status = ParseArguments(arguments);
  if (!status.ok()) return cli::Refuse(status);
  auto& show = arguments->show;
  const auto& options = arguments->options;
  show.limit = arguments->json ? options.AllUnlessLimited() : options.TextLimit();
  const char* file = arguments->json ? "tensors-show.json" : "tensors-show.txt";
  return cli::MakeReport(options, file, [&](const model::Run& run, std::ostream& out) {
    if (!arguments->json) return report::ShowText(run, show, out);
    nlohmann::ordered_json json;
    const auto made = report::ShowJson(run, show, &json);
    if (made.ok()) cli::WriteJson(json, out);
    return made;
  });
}

}  // namespace

void AddTensorsShow(CLI::App& tensors, int* exit_code) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = tensors.add_subcommand("show", "observations, with the values copied");
  cli::AddReportOptions(
      command, &arguments->options,
      "Show at most N observations of each process; 0: all. Default: 20 in text, all in JSON.");
  command
      ->add_option("pattern", arguments->show.pattern,
                   "Only places whose name fits, with * ? [..]: 'forward/*.arg0', "
                   "'train_step#0/*'.")
      ->option_text("PATTERN");
  command->add_option("--replay", arguments->replay, "Only this replay.")->option_text("N");
  command->add_option("--as", arguments->as, "Read the bytes as this type.")->option_text("DTYPE");
  command->add_option("--shape", arguments->shape, "Print the values in this shape.")
      ->option_text("AxB");
  command->add_flag("--json", arguments->json, "Print JSON.");
  command->callback([arguments, exit_code] { *exit_code = Show(arguments.get()); });
}

}  // namespace graphtap
