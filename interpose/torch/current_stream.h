// Current stream: on which the framework would launch now. Pure function, any thread. Failure:
// nullptr, as for the default stream, also before the framework has set CUDA up, which this must
// not do for it.
#pragma once

namespace graphtap::torch {

// A CUstream, of the current device of this thread.
void* CurrentStream() noexcept;

}  // namespace graphtap::torch
