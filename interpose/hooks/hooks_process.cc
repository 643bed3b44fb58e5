// The process: initialisation, look-ups, kernels that go.
#include "interpose/hooks/hook.h"
#include "interpose/hooks/lookup.h"

using namespace graphtap::hooks;

GRAPHTAP_HOOK cuInit(unsigned int flags) {
  const CUresult result = CallReal<Hook::cuInit>(flags);
  Observer::OnInit(result);
  return result;
}

GRAPHTAP_HOOK cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  const CUresult result = CallReal<Hook::cuGetProcAddress>(symbol, function, version, flags);
  if (result == CUDA_SUCCESS) SubstituteResolved(symbol, function);
  return result;
}

GRAPHTAP_HOOK cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                  cuuint64_t flags, CUdriverProcAddressQueryResult* status) {
  const CUresult result =
      CallReal<Hook::cuGetProcAddress_v2>(symbol, function, version, flags, status);
  if (result == CUDA_SUCCESS) SubstituteResolved(symbol, function);
  return result;
}

namespace {

// Kernels go: their handles may be other kernels' as soon as the real call has begun, and until it
// has ended somebody may still ask for the old ones.
template <typename Unload>
CUresult Unloaded(Unload unload) {
  if (auto* observer = Observer::Active()) observer->OnModuleUnload();
  const CUresult result = unload();
  if (auto* observer = Observer::Active()) observer->OnModuleUnload();
  return result;
}

}  // namespace

GRAPHTAP_HOOK cuModuleUnload(CUmodule module) {
  return Unloaded([&] { return CallReal<Hook::cuModuleUnload>(module); });
}

GRAPHTAP_HOOK cuLibraryUnload(CUlibrary library) {
  return Unloaded([&] { return CallReal<Hook::cuLibraryUnload>(library); });
}

GRAPHTAP_HOOK cuCtxDestroy_v2(CUcontext context) {
  if (auto* observer = Observer::Active()) observer->BeforeContextEnd(context);
  return Unloaded([&] { return CallReal<Hook::cuCtxDestroy_v2>(context); });
}

GRAPHTAP_HOOK cuGreenCtxDestroy(CUgreenCtx context) {
  if (auto* observer = Observer::Active()) observer->BeforeGreenContextEnd(context);
  return CallReal<Hook::cuGreenCtxDestroy>(context);
}

namespace {

template <Hook hook>
CUresult ReleasePrimary(CUdevice device) {
  if (auto* observer = Observer::Active()) observer->BeforePrimaryRelease(device);
  const CUresult result = Unloaded([&] { return CallReal<hook>(device); });
  if (auto* observer = Observer::Active()) observer->AfterPrimaryRelease(device);
  return result;
}

template <Hook hook>
CUresult ResetPrimary(CUdevice device) {
  if (auto* observer = Observer::Active()) observer->BeforePrimaryReset(device);
  return Unloaded([&] { return CallReal<hook>(device); });
}

}  // namespace

// The runtime asks for the first spellings of these two.
GRAPHTAP_HOOK cuDevicePrimaryCtxRelease(CUdevice device) {
  return ReleasePrimary<Hook::cuDevicePrimaryCtxRelease>(device);
}

GRAPHTAP_HOOK cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return ReleasePrimary<Hook::cuDevicePrimaryCtxRelease_v2>(device);
}

GRAPHTAP_HOOK cuDevicePrimaryCtxReset(CUdevice device) {
  return ResetPrimary<Hook::cuDevicePrimaryCtxReset>(device);
}

GRAPHTAP_HOOK cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return ResetPrimary<Hook::cuDevicePrimaryCtxReset_v2>(device);
}
