// `graphtap tensors`: what probes observed.

#include "analyzer/cli/command.h"
#include "analyzer/cli/tensors_commands.h"

namespace graphtap {

void AddTensorsCommand(CLI::App& root, int* exit_code) {
  CLI::App* command = root.add_subcommand(
      "tensors",
      "Says what the probes of `graphtap run --probe` observed: which places, which values, and "
      "how those of two runs differ.");
  command->require_subcommand(1);
  AddTensorsList(*command, exit_code);
  AddTensorsShow(*command, exit_code);
  AddTensorsCompare(*command, exit_code);
}

}  // namespace graphtap
