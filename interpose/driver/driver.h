// Driver: the real libcuda of the process: the real entry point of each hooked call, the calls that
// graphtap makes itself, and which real address each hook stands in for. The only place that
// resolves CUDA symbols. Owner: itself, for the life of the process; never torn down. Threads: any;
// built without a lock (the loader's lock may be held), the first builder wins. Failure: without
// libcuda, Loaded() is nullptr; a call that the driver lacks is a null pointer. No units.
#pragma once

#define __CUDA_API_VERSION_INTERNAL  // the historic spellings as functions, not as macros
#include <cuda.h>
#include <cudaTypedefs.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace graphtap::driver {

enum class Hook : std::uint16_t {
#define GT_EXPORT(symbol, base, version, per_thread, type) symbol,
#include "interpose/hooks/hooks.inc"
#undef GT_EXPORT
  kCount
};
inline constexpr std::size_t kHookCount = static_cast<std::size_t>(Hook::kCount);

template <Hook hook>
struct HookType;
#define GT_EXPORT(symbol, base, version, per_thread, pfn) \
  template <>                                             \
  struct HookType<Hook::symbol> {                         \
    using type = pfn;                                     \
    static constexpr bool kPerThread = per_thread;        \
  };
#include "interpose/hooks/hooks.inc"
#undef GT_EXPORT

// The calls of calls.inc; nullptr where the driver lacks one.
struct Calls {
#define GT_CALL(member, base, symbol, version, type) type member = nullptr;
#define GT_PROBE_CALL GT_CALL
#include "interpose/driver/calls.inc"
#undef GT_PROBE_CALL
#undef GT_CALL
};

struct Driver {
  void* real[kHookCount] = {};
  Calls calls;
  std::unordered_map<const void*, void*> hook_of_real;

  // The hook that stands in for a real entry point, or nullptr.
  void* HookOf(const void* real_address) const noexcept {
    const auto found = hook_of_real.find(real_address);
    return found == hook_of_real.end() ? nullptr : found->second;
  }
};

// The driver, if the process has loaded it already; nullptr otherwise.
const Driver* Loaded() noexcept;

// The driver, opened if need be; nullptr if there is none on this machine.
const Driver* Load() noexcept;

// Is this an exported symbol that graphtap hooks (dlsym), a base name (cuGetProcAddress)?
bool IsHookedSymbol(std::string_view symbol) noexcept;
bool IsHookedBase(std::string_view base) noexcept;

// Calls the real function behind a hook. Without a driver: CUDA_ERROR_NO_DEVICE, as a machine
// without one answers; without the call: CUDA_ERROR_NOT_SUPPORTED.
template <Hook hook, typename... Arguments>
CUresult CallReal(Arguments... arguments) {
  const Driver* driver = Load();
  if (driver == nullptr) return CUDA_ERROR_NO_DEVICE;
  const auto real =
      reinterpret_cast<typename HookType<hook>::type>(driver->real[static_cast<std::size_t>(hook)]);
  return real == nullptr ? CUDA_ERROR_NOT_SUPPORTED : real(arguments...);
}

}  // namespace graphtap::driver

// The hooks in the order of the list: defined by the hooks, constant.
extern "C" void* const graphtap_hooks[graphtap::driver::kHookCount];
