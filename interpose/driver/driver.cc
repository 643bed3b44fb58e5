#include "interpose/driver/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>

#include "interpose/driver/real_dlsym.h"

namespace graphtap::driver {
namespace {

struct HookInfo {
  const char* symbol;
  const char* base;
  int version;
  bool per_thread;
};

constexpr std::array<HookInfo, kHookCount> kHooks = {{
#define GT_EXPORT(symbol, base, version, per_thread, type) {#symbol, #base, version, per_thread},
#include "interpose/hooks/hooks.inc"
#undef GT_EXPORT
}};

std::atomic<const Driver*> g_driver{nullptr};

// Asks the real libcuda: cuGetProcAddress where it exists, its exported symbols otherwise.
class Resolver {
 public:
  explicit Resolver(void* library) : library_(library) {
    resolve_v2_ = reinterpret_cast<PFN_cuGetProcAddress_v12000>(Export("cuGetProcAddress_v2"));
    resolve_v1_ = reinterpret_cast<PFN_cuGetProcAddress_v11030>(Export("cuGetProcAddress"));
  }

  void* Export(const char* symbol) const {
    const DlsymFunction real = graphtap_bind_dlsym();
    return real == nullptr ? nullptr : real(library_, symbol);
  }

  void* Versioned(const char* base, int version, bool per_thread) const {
    void* function = nullptr;
    const cuuint64_t flags = per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                        : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
    CUresult result = CUDA_ERROR_NOT_FOUND;
    if (resolve_v2_ != nullptr) {
      CUdriverProcAddressQueryResult status{};
      result = resolve_v2_(base, &function, version, flags, &status);
    } else if (resolve_v1_ != nullptr) {
      result = resolve_v1_(base, &function, version, flags);
    }
    return result == CUDA_SUCCESS ? function : nullptr;
  }

 private:
  void* library_;
  PFN_cuGetProcAddress_v12000 resolve_v2_ = nullptr;
  PFN_cuGetProcAddress_v11030 resolve_v1_ = nullptr;
};

const Driver* Build(void* library) {
  auto* driver = new Driver;
  const Resolver resolver(library);
  for (std::size_t i = 0; i < kHookCount; ++i) {
    const HookInfo& hook = kHooks[i];
    void* exported = resolver.Export(hook.symbol);
    void* resolved = resolver.Versioned(hook.base, hook.version, hook.per_thread);
    driver->real[i] = resolved != nullptr ? resolved : exported;
    for (void* real : {exported, resolved}) {
      if (real != nullptr) driver->hook_of_real.emplace(real, graphtap_hooks[i]);
    }
  }
#define GT_CALL(member, base, symbol, version, type)                                        \
  driver->calls.member = reinterpret_cast<type>(resolver.Versioned(#base, version, false)); \
  if (driver->calls.member == nullptr) {                                                    \
    driver->calls.member = reinterpret_cast<type>(resolver.Export(#symbol));                \
  }
#define GT_PROBE_CALL GT_CALL
#include "interpose/driver/calls.inc"
#undef GT_PROBE_CALL
#undef GT_CALL
  return driver;
}

const Driver* Publish(void* library) noexcept {
  if (library == nullptr) return nullptr;
  const Driver* built = nullptr;
  try {
    built = Build(library);
  } catch (...) {
    return nullptr;  // out of memory: the next call tries again
  }
  const Driver* expected = nullptr;
  if (g_driver.compare_exchange_strong(expected, built)) return built;
  delete built;
  return expected;
}

const Driver* Get(int open_flags) noexcept {
  const Driver* driver = g_driver.load(std::memory_order_acquire);
  if (driver != nullptr) return driver;
  driver = Publish(dlopen("libcuda.so.1", RTLD_LAZY | open_flags));
  dlerror();  // what failed here is not the job's to see
  return driver;
}

}  // namespace

const Driver* Loaded() noexcept { return Get(RTLD_NOLOAD); }
const Driver* Load() noexcept { return Get(0); }

bool IsHookedSymbol(std::string_view symbol) noexcept {
  if (!symbol.starts_with("cu")) return false;
  return std::any_of(kHooks.begin(), kHooks.end(),
                     [&](const HookInfo& hook) { return symbol == hook.symbol; });
}

bool IsHookedBase(std::string_view base) noexcept {
  return std::any_of(kHooks.begin(), kHooks.end(),
                     [&](const HookInfo& hook) { return base == hook.base; });
}

}  // namespace graphtap::driver
