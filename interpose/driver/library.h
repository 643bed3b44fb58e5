// Library: loads a shared library of graphtap's own into the process, past the hooks of look-ups.
// Owner: the process; a library stays once loaded. Threads: any. Failure: nullptr. No units.
#pragma once

#include <optional>
#include <string>

namespace graphtap::driver {

// With all that it needs resolved now, visible to nobody else. *error: one line if it failed.
void* OpenLibrary(const std::string& path, std::string* error);

void* FindSymbol(void* library, const char* name) noexcept;

// What has a symbol of this name, for FindSymbol: nullptr, which is all that everybody sees, or a
// library that only some see. nullopt: nothing in the process.
std::optional<void*> FindDefining(const char* name) noexcept;

}  // namespace graphtap::driver
