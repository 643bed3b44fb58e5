// Adapter file: where the adapter for a torch build lies, and how one is made. Looked for beside
// libgraphtap.so, then in the user's cache. Owner: the caller. Threads: any. Failure: an empty
// text; may throw bad_alloc. Units: seconds.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "interpose/adapter/torch_build.h"

namespace graphtap::adapter {

// The path of the adapter that fits; "": there is none.
std::string FindFile(const TorchBuild& torch);

// The framework and the ABI that a file says it was compiled for ("torch 2.11.0+cu130 cxx11abi1"),
// read without loading it; "": it is no adapter; nullopt: it cannot be read.
std::optional<std::string> MarkOf(const std::string& path);

// The command that makes the adapter; "": the script is not where it is expected.
std::string BuildCommand(const TorchBuild& torch);

// Runs it, out of graphtap's sight, and waits for it. The job gets a SIGCHLD. False: it failed, or
// took too long and was stopped.
bool Build(const TorchBuild& torch, std::chrono::seconds limit);

}  // namespace graphtap::adapter
