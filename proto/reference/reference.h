// Reference: what the action `check` compares with: a run folder, a .npy or a .safetensors file.
// Says whether a path is one before anything is started or recorded.
// Pure but for the file system, any thread. Failure: *error is one line that names the file and
// says what is allowed. No units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proto/spec/specification.h"

namespace graphtap::reference {

// The run files of a folder, by name. nullopt: it cannot be read, or has none.
std::optional<std::vector<std::string>> RunFilesIn(const std::string& folder, std::string* error);

bool IsReference(const std::string& path, std::string* error);

// The paths that checks name, each once; `fallback` where one names none.
std::vector<std::string> ReferencesOf(const spec::Specification& specification,
                                      const std::string& fallback);

// The specification with paths made absolute, for processes that start elsewhere.
spec::Specification WithAbsolutePaths(spec::Specification specification, const std::string& folder);

// The same of one path; an empty one stays.
std::string AbsolutePath(const std::string& path, const std::string& folder);

}  // namespace graphtap::reference
