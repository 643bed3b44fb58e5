// State: is graphtap on in this process at all? Decided once, from GRAPHTAP_OUT, as early as the
// first look-up that a hook sees, so that without it every look-up is answered by the driver alone.
// Owner: itself. Threads: any. Failure: none. No units.
#pragma once

#include <cstdint>
#include <string>

namespace graphtap::session {

// GRAPHTAP_OUT is set: hooks answer look-ups, a successful cuInit starts recording. A process that
// runs with raised privileges (setuid) is never recorded.
bool Enabled() noexcept;

// GRAPHTAP_OUT as an absolute path, taken from the working folder at load. Empty when not enabled.
const std::string& OutputFolder() noexcept;

// The working folder at load; empty if it could not be told, or when not enabled.
const std::string& WorkingFolderAtLoad() noexcept;

// Look-ups of hooked calls in a version that is not known; they happen before recording starts.
void CountUnknownEntryPoint() noexcept;
std::uint64_t TakeUnknownEntryPoints() noexcept;  // since the last time

}  // namespace graphtap::session
