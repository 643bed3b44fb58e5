#include "interpose/hooks/lookup.h"

#include "interpose/driver/driver.h"
#include "interpose/driver/real_dlsym.h"
#include "interpose/session/state.h"

namespace {

// `real` is what the handle gave for `name`: replaced only if libcuda itself owns it.
void* Substitute(const char* name, void* real) noexcept {
  if (real == nullptr || name == nullptr || name[0] != 'c' || name[1] != 'u') return real;
  if (!graphtap::session::Enabled() || !graphtap::driver::IsHookedSymbol(name)) return real;
  const auto* driver = graphtap::driver::Loaded();
  void* hook = driver == nullptr ? nullptr : driver->HookOf(real);
  return hook == nullptr ? real : hook;
}

}  // namespace

extern "C" {

__attribute__((visibility("hidden"))) void* graphtap_hooked_dlsym(void* handle, const char* name) {
  return Substitute(name, graphtap_bind_dlsym()(handle, name));
}

__attribute__((visibility("hidden"))) void* graphtap_hooked_dlvsym(void* handle, const char* name,
                                                                   const char* version) {
  return Substitute(name, graphtap_bind_dlvsym()(handle, name, version));
}

}  // extern "C"

namespace graphtap::hooks {

void SubstituteResolved(const char* base, void** function) noexcept {
  if (function == nullptr || *function == nullptr || !session::Enabled()) return;
  const auto* driver = driver::Loaded();
  if (driver == nullptr) return;
  if (void* hook = driver->HookOf(*function)) {
    *function = hook;
  } else if (base != nullptr && driver::IsHookedBase(base)) {
    session::CountUnknownEntryPoint();
  }
}

}  // namespace graphtap::hooks
