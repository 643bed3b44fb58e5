// Hook: what every exported forwarder does: the job's own call first, with its own arguments, then
// the observer is told, if there is one. Rules of these files: compiled without exceptions (a
// cancelled thread or a foreign exception may pass through a forwarder), no object with a
// destructor alive across the real call, no lock, no allocation, no logic. Nested calls cannot
// happen: graphtap calls the driver by its real addresses only.
#pragma once

#include "interpose/driver/driver.h"
#include "interpose/observer/observer.h"

// Exported, and answered to look-ups; the signature is checked against the driver's type.
#define GRAPHTAP_HOOK extern "C" __attribute__((visibility("default"))) CUresult

namespace graphtap::hooks {

using driver::CallReal;
using driver::Hook;
using observer::Observer;

}  // namespace graphtap::hooks
