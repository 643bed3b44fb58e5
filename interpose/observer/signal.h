// Signal: SIGUSR2 as a request to look at memory, as long as the job has no handler of its own: one
// that it installs later takes the place of this one. Owner: the process. Threads: any; what
// handles the signal only notes it. Failure: none: where the signal cannot be had it is left alone.
#pragma once

namespace graphtap::observer {

// If the signal would end the process, that is, if it is at its default.
void HandleSignal() noexcept;

// In a forked child, before anything else: as it was, unless the job has changed it.
void LeaveSignalAlone() noexcept;

}  // namespace graphtap::observer
