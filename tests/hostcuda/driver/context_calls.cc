#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/devices.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

constexpr unsigned kKnownFlags = CU_CTX_FLAGS_MASK;

CUresult Create(CUcontext* context, unsigned flags, CUdevice device) {
  if (context == nullptr || (flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  auto made = std::make_shared<Context>(device, false);
  made->flags = flags;
  *context = made->Handle();
  Live<Context>().Add(std::move(made));
  PushCurrent(*context);
  return CUDA_SUCCESS;
}

// A context given by handle; null means the current one where the call says so.
CUresult FindContext(CUcontext handle, std::shared_ptr<Context>* context) {
  if (handle == nullptr) return RequireContext(context);
  *context = Live<Context>().Find(handle);
  return *context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult Synchronize(Context& context) {
  CUresult result = CheckCaptureRules(CallClass::kWholeContext);
  return result == CUDA_SUCCESS ? context.Synchronize() : result;
}

}  // namespace

namespace calls {

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = RetainPrimary(device)->Handle();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return IsDevice(device) ? ReleasePrimary(device) : CUDA_ERROR_INVALID_DEVICE;
}

// The first spellings mean the same.
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return calls::cuDevicePrimaryCtxRelease_v2(device);
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return calls::cuDevicePrimaryCtxReset_v2(device);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  if ((flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  PrimaryContext(device)->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::shared_ptr<Context> primary = PrimaryContext(device);
  *flags = primary->flags;
  *active = Live<Context>().Find(primary.get()) ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  ResetPrimary(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return Create(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int count, unsigned flags,
                        CUdevice device) {
  if (count != 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return Create(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                        CUdevice device) {
  bool special = parameters != nullptr &&
                 (parameters->numExecAffinityParams != 0 || parameters->cigParams != nullptr);
  return special ? CUDA_ERROR_NOT_SUPPORTED : Create(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  std::shared_ptr<Context> context = Live<Context>().Find(handle);
  if (!context || context->primary || context->of != nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  Live<Context>().Remove(handle);
  context->Reset();
  if (CurrentHandle() == handle) SetCurrent(nullptr);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Context> context;
  CUresult result = FindContext(handle, &context);
  if (result == CUDA_SUCCESS) *id = context->id;
  return result;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (!Live<Context>().Find(context)) return CUDA_ERROR_INVALID_CONTEXT;
  PushCurrent(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) { return PopCurrent(context); }

CUresult cuCtxSetCurrent(CUcontext context) {
  // A primary context may be made current before it is retained; calls in it are refused until
  // then.
  bool known = context == nullptr || Live<Context>().Find(context) || IsPrimary(context);
  if (!known) return CUDA_ERROR_INVALID_CONTEXT;
  SetCurrent(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = CurrentHandle();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) { return calls::cuCtxGetDevice_v2(device, nullptr); }

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Context> context;
  CUresult result = FindContext(handle, &context);
  if (result == CUDA_SUCCESS) *device = context->device;
  return result;
}

CUresult cuCtxGetFlags(unsigned* flags) {
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = CurrentContext()->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return Synchronize(*CurrentContext()); }

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  std::shared_ptr<Context> context;
  CUresult result = FindContext(handle, &context);
  return result == CUDA_SUCCESS ? Synchronize(*context) : result;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Context> context;
  CUresult result = FindContext(handle, &context);
  if (result == CUDA_SUCCESS) *version = 3020;
  return result;
}

}  // namespace calls
}  // namespace hostcuda
