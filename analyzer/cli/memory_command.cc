// `graphtap memory`: what memory there was.

#include "analyzer/cli/command.h"
#include "analyzer/cli/memory_commands.h"

namespace graphtap {

void AddMemoryCommand(CLI::App& root, int* exit_code) {
  CLI::App* command = root.add_subcommand(
      "memory", "Says what memory there was at the moments that `graphtap run --points` names.");
  command->require_subcommand(1);
  AddMemoryPoints(*command, exit_code);
}

}  // namespace graphtap
