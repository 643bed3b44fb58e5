// Surroundings: what the launcher looks up on the machine before it starts a job.
// Owner: none, plain functions. Threads: none shared. Failure: each says it in its result.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace graphtap::launcher {

// 0 if `name` can be executed: as a path when it has a slash, else in one of the folders of
// `search_path` (PATH; nullptr: the system's default). ENOENT: not found; EACCES: found, but it is
// no executable file.
int CheckCommand(const std::string& name, const char* search_path);

// The preload library: ../lib/libgraphtap.so seen from the folder of this program. On failure
// nullopt, and *error is one line.
std::optional<std::filesystem::path> FindPreloadLibrary(std::string* error);

// The commit that is checked out in the working folder; nullopt where there is none or no git.
std::optional<std::string> FindGitRevision();

// 16 random hexadecimal digits: the name of a run.
std::string NewRunId();

}  // namespace graphtap::launcher
