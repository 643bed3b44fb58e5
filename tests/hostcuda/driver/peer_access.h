// Peer access: which contexts may reach which memory of other devices. Owner: each context its
// list of peers. Threads: any. Failure: CUresult of the call, or of the kernel that reaches too
// far. No units.
#pragma once

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/memory.h"
#include "tests/hostcuda/driver/work.h"

namespace hostcuda {

// Whether kernels of the context may use the memory: that of its own device and of the host, that
// of contexts which it made its peers, and that of pools and graphs which its device was given
// access to.
bool MayReach(const Context& context, const Allocation& allocation);

// ILLEGAL_ADDRESS if a word of the arguments points into memory that the kernel's context may not
// reach. A real kernel fails when it follows the pointer.
CUresult CheckReach(const KernelWork& work);

}  // namespace hostcuda
