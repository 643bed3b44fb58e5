// The hooks in the order of the list: what look-ups answer with. Each has the type that the
// driver's own function of that version has.
#include <type_traits>

#include "interpose/hooks/hook.h"

#define GT_EXPORT(symbol, base, version, per_thread, type) \
  extern "C" std::remove_pointer_t<type> symbol;
#include "interpose/hooks/hooks.inc"
#undef GT_EXPORT

extern "C" void* const graphtap_hooks[graphtap::driver::kHookCount] = {
#define GT_EXPORT(symbol, base, version, per_thread, type) reinterpret_cast<void*>(&symbol),
#include "interpose/hooks/hooks.inc"
#undef GT_EXPORT
};
