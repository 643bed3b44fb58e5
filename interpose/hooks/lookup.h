// Look-up: which address a look-up of a hooked call gets. The real look-up always comes first, with
// the arguments unchanged; its answer is replaced only if it is an address that a hook stands in
// for, so that versions, flags and future shapes are decided by the driver. Threads: any, also
// under the loader's lock. Failure: the real answer. No units.
#pragma once

#include <dlfcn.h>

extern "C" {
// The part of dlsym and dlvsym that dlsym.S does not hand to glibc: look-ups in a handle.
void* graphtap_hooked_dlsym(void* handle, const char* name);
void* graphtap_hooked_dlvsym(void* handle, const char* name, const char* version);
}

namespace graphtap::hooks {

// For cuGetProcAddress of `base` after success: the hook of *function, or *function as it is.
void SubstituteResolved(const char* base, void** function) noexcept;

}  // namespace graphtap::hooks
