// GraphLock: the one lock over all graphs, nodes, executables and captures. Owner: whoever is
// inside a call of this folder. Threads: any; not recursive. It is held for bookkeeping only, never
// while work runs or a user's function is called: what must call back is put off with
// RunAfterGraphLock until the lock is given back.
#pragma once

#include <functional>

namespace hostcuda {

class GraphLock {
 public:
  GraphLock();
  ~GraphLock();  // gives the lock back, then runs what was put off meanwhile
  GraphLock(const GraphLock&) = delete;
  GraphLock& operator=(const GraphLock&) = delete;
};

// Runs `action` at once where this thread does not hold the lock, else when it gives it back.
void RunAfterGraphLock(std::function<void()> action);

}  // namespace hostcuda
