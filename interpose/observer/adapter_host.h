// Adapter host: what an adapter calls, and how that reaches the observer.
// Owner: itself. Threads: any, as the framework runs. Failure: without an observer nothing happens.
// No units.
#pragma once

#include "interpose/abi/adapter.h"

namespace graphtap::observer {

extern const GraphtapHost kAdapterHost;

}  // namespace graphtap::observer
