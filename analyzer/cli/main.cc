// The program `graphtap`: picks the command and gives its exit code.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cli/command.h"

namespace {

constexpr int kExitUsage = 2;
constexpr int kExitUsageOfRun = 125;  // as env and timeout: the job's own codes stay its own

// Moves what stands behind the first "--" of `graphtap run` into JobCommand().
void TakeJobCommand(std::vector<std::string>* arguments) {
  if (arguments->empty() || arguments->front() != "run") return;
  const auto dashes = std::find(arguments->begin(), arguments->end(), "--");
  if (dashes == arguments->end()) return;
  graphtap::JobCommand().assign(dashes + 1, arguments->end());
  arguments->erase(dashes, arguments->end());
}

std::string AllowedVerbs(const CLI::App& command) {
  std::string names;
  for (const auto* verb : command.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + verb->get_name();
  }
  return "allowed are " + names;
}

// One line that says what is wrong and what is allowed.
std::string UsageError(const CLI::App& root, const std::vector<std::string>& arguments,
                       const CLI::ParseError& error) {
  const CLI::App* command = &root;
  std::string path = "graphtap";
  for (const auto& argument : arguments) {
    const auto verbs = command->get_subcommands([](const CLI::App*) { return true; });
    if (verbs.empty() || argument.starts_with('-')) break;
    const auto found = std::find_if(verbs.begin(), verbs.end(),
                                    [&](const auto* verb) { return verb->get_name() == argument; });
    if (found == verbs.end())
      return "'" + argument + "': no such command: " + AllowedVerbs(*command);
    command = *found;
    path += ' ' + argument;
  }
  const bool lacks_verb =
      command->get_require_subcommand_min() > 0 && command->get_subcommands().empty();
  if (lacks_verb && (arguments.empty() || !arguments.back().starts_with('-'))) {
    return "no command: " + AllowedVerbs(*command);
  }
  return std::string(error.what()) + " (see " + path + " --help)";
}

// The summary goes into the list of commands; what the command says of itself, below its options.
void Describe(CLI::App* command, const std::string& summary) {
  command->footer(command->get_description());
  command->description(summary);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool is_run = !arguments.empty() && arguments.front() == "run";
  TakeJobCommand(&arguments);

  CLI::App root("Records and debugs the CUDA graphs of unmodified programs.", "graphtap");
  root.require_subcommand(1);
  root.set_version_flag("--version", GRAPHTAP_VERSION);
  int exit_code = 0;
#define GT_COMMAND(function, name, summary) \
  graphtap::function(root, &exit_code);     \
  Describe(root.get_subcommand(name), summary);
#include "analyzer/cli/commands.inc"
#undef GT_COMMAND

  try {
    // CLI11 takes them from the end.
    root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& request) {  // --help, --version
    return root.exit(request);
  } catch (const CLI::ParseError& error) {
    std::cerr << "graphtap: " << UsageError(root, arguments, error) << std::endl;
    return is_run ? kExitUsageOfRun : kExitUsage;
  }
  return exit_code;
}
