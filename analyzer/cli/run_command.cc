// `graphtap run`: its options come from the table of environment variables, so that an option and
// its variable cannot differ.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/launcher/launcher.h"
#include "proto/lists/environment.h"

namespace graphtap {
namespace {

constexpr const char* kUsage = "graphtap run [options] -- command [arguments]";
constexpr const char* kDescription =
    "Runs a program and records its CUDA graphs: graphtap run [options] -- command [arguments]\n"
    "Exit code: that of the program, 128 + n if signal n ended it; 125: bad options, nothing was\n"
    "started; 126: the command cannot be executed; 127: it was not found.";

struct RunArguments {
  launcher::LaunchOptions options;
  std::vector<std::string> metadata;
};

std::string Help(const EnvironmentVariable& variable) {
  std::string help = std::string(variable.meaning) + " Allowed: " + variable.allowed + ".";
  if (*variable.fallback != '\0') help += std::string(" Default: ") + variable.fallback + ".";
  if (std::string_view(variable.variable) == "GRAPHTAP_OUT") {
    help += " `graphtap run` takes the first free of graphtap-run-1, graphtap-run-2, … by default.";
  }
  return help + " Sets " + variable.variable + ".";
}

// key=value, where the key can be part of a variable's name.
std::optional<std::pair<std::string, std::string>> ParseMetadata(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  auto key = text.substr(0, equals);
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (const char c : key) {
    if (!allowed(c)) return std::nullopt;
  }
  return std::pair(std::move(key), text.substr(equals + 1));
}

int Refuse(const std::string& why) {
  std::cerr << "graphtap run: " << why << '\n';
  return launcher::kExitBadOptions;
}

int Run(const CLI::App& command, RunArguments* arguments) {
  for (const auto& text : command.remaining()) {
    return Refuse("'" + text + "' is no option; the command stands behind --: " + kUsage);
  }
  for (const auto& text : arguments->metadata) {
    auto pair = ParseMetadata(text);
    if (!pair) {
      return Refuse("--meta '" + text +
                    "': allowed is key=value, the key of letters, digits and _");
    }
    arguments->options.metadata.push_back(*std::move(pair));
  }
  arguments->options.command = JobCommand();
  if (arguments->options.command.empty()) return Refuse(std::string("no command: ") + kUsage);
  return launcher::Launch(arguments->options, std::cerr);
}

}  // namespace

std::vector<std::string>& JobCommand() {
  static std::vector<std::string> command;
  return command;
}

void AddRunCommand(CLI::App& root, int* exit_code) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = root.add_subcommand("run", kDescription);
  // Extras are refused in Run, with a better line than the parser's.
  command->allow_extras();
  for (const auto& variable : kEnvironment) {
    if (*variable.option == '\0') continue;
    const auto set = [arguments, name = variable.variable](const std::string& value) {
      arguments->options.settings.emplace_back(name, value);
    };
    if (*variable.value == '\0') {  // a switch
      command->add_flag_callback(variable.option, [set] { set("1"); }, Help(variable));
      continue;
    }
    command->add_option_function<std::string>(variable.option, set, Help(variable))
        ->option_text(variable.value);
  }
  command->add_flag("--overwrite", arguments->options.overwrite,
                    "Replace a run that the folder holds: removes the files of that run only.");
  command
      ->add_option("--meta", arguments->metadata,
                   "Record user metadata; may be repeated. Sets GRAPHTAP_META_<key>.")
      ->option_text("KEY=VALUE")
      ->type_size(1)
      ->expected(1)
      ->take_all();
  command->callback(
      [command, arguments, exit_code] { *exit_code = Run(*command, arguments.get()); });
}

}  // namespace graphtap
