// Op events: the framework's callbacks at the beginning and the end of each op, told to the host.
// An op is told to the end if its beginning was, also after the watch is over. Owner: the process;
// the callbacks stay registered, and off. Threads: any. Failure: nothing throws into the framework;
// an op that cannot be told is left out.
#pragma once

namespace graphtap::torch {

// As in adapter.h; after SetHost().
void WatchOps(int on) noexcept;

}  // namespace graphtap::torch
