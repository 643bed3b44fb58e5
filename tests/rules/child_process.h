// ChildProcess: parts of rules that end or spoil their process, run in a new one of the same
// program. Owner: the process. Threads: the main one. Failure: the exit status tells.
#pragma once

#include <string>

namespace rules {

// Registers a part; static objects of this type do it before main.
struct ChildPart {
  ChildPart(const char* name, int (*run)());
};

// Runs the part in a new process and returns its wait status (see WIFEXITED and the like).
int RunInChildProcess(const std::string& part);

// For main: runs the part that the argument "--part=<name>" names, if any; returns true and its
// exit code in *code.
bool RunAsChild(int argc, char** argv, int* code);

}  // namespace rules
