// TensorsCommands: the verbs of `graphtap tensors`, each in a file of its own. As command.h.
#pragma once

#include <CLI/CLI.hpp>

namespace graphtap {

void AddTensorsList(CLI::App& tensors, int* exit_code);
void AddTensorsShow(CLI::App& tensors, int* exit_code);
void AddTensorsCompare(CLI::App& tensors, int* exit_code);

}  // namespace graphtap
