// Allocator watch: waits for the framework to initialise its caching allocator, and attaches the
// tracker, once. A tracker that is attached earlier is lost, and this must not initialise anything
// itself; so each op asks, as the framework calls an op for whatever it does on a device. Owner:
// the process. Threads: any. Failure: nothing throws; the host hears why there is nothing to track.
#pragma once

namespace graphtap::torch {

// As in adapter.h. Nothing for a host that does not take events.
void WatchAllocator() noexcept;
void TakeAllocatorState() noexcept;

// Attaches now, without an op, if that was asked for and the allocator is initialised.
void AttachIfInitialised() noexcept;

}  // namespace graphtap::torch
