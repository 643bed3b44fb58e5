// MemoryCommands: the verbs of `graphtap memory`, each in a file of its own. As command.h.
#pragma once

#include <CLI/CLI.hpp>

namespace graphtap {

void AddMemoryPoints(CLI::App& memory, int* exit_code);

}  // namespace graphtap
