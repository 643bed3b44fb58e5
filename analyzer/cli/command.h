// Command: one word of the `graphtap` program. commands.inc lists them; main() adds each to one
// CLI11 parser. Owner: main(). Threads: one. Failure: a callback sets the exit code: 0 report made,
// 1 findings, 2 bad input or usage (`run`: 125), and prints one line on stderr.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace graphtap {

// Adds the command to `root`; when it is chosen, its callback runs it and sets *exit_code.
#define GT_COMMAND(function, name, summary) void function(CLI::App& root, int* exit_code);
#include "analyzer/cli/commands.inc"
#undef GT_COMMAND

// The job of `graphtap run`: what stands behind "--". main() moves it here before it parses the
// rest, because CLI11 would split an argument "[a,b]" and take the job's options for its own.
std::vector<std::string>& JobCommand();

}  // namespace graphtap
