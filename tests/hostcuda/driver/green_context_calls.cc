// Green contexts: a share of a device's multiprocessors, with streams of its own. Its modules and
// memory are those of the primary context.
#include <algorithm>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/devices.h"

namespace hostcuda {
namespace {

constexpr unsigned kMultiprocessors = 132, kLeastGroup = 8;

std::shared_ptr<Context> FindGreen(CUgreenCtx handle) {
  auto context = Live<Context>().Find(reinterpret_cast<CUcontext>(handle));
  return context && context->of != nullptr ? context : nullptr;
}

}  // namespace

namespace calls {

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource* resource, CUdevResourceType type) {
  if (resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  *resource = {};
  resource->type = type;
  resource->sm.smCount = kMultiprocessors;
  return CUDA_SUCCESS;
}

CUresult cuDevSmResourceSplitByCount(CUdevResource* parts, unsigned* groups,
                                     const CUdevResource* all, CUdevResource* rest, unsigned,
                                     unsigned least) {
  if (groups == nullptr || all == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const unsigned each = std::max((least + kLeastGroup - 1) / kLeastGroup, 1U) * kLeastGroup;
  *groups = std::min(parts == nullptr ? ~0U : *groups, all->sm.smCount / each);
  for (unsigned i = 0; parts != nullptr && i < *groups; ++i) {
    parts[i] = *all;
    parts[i].sm.smCount = each;
  }
  if (rest != nullptr) {
    *rest = *all;
    rest->sm.smCount -= *groups * each;
  }
  return CUDA_SUCCESS;
}

// A description is never looked into: one stands for all.
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* description, CUdevResource* resources,
                                   unsigned count) {
  static CUdevResource last{};
  if (description == nullptr || resources == nullptr || count != 1) return CUDA_ERROR_INVALID_VALUE;
  *description = reinterpret_cast<CUdevResourceDesc>(&last);
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx* green, CUdevResourceDesc description, CUdevice device,
                          unsigned flags) {
  const bool valid =
      green != nullptr && description != nullptr && flags == CU_GREEN_CTX_DEFAULT_STREAM;
  if (!valid) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device)) return CUDA_ERROR_INVALID_DEVICE;
  auto made = std::make_shared<Context>(device, false, PrimaryContext(device).get());
  *green = reinterpret_cast<CUgreenCtx>(made->Handle());
  Live<Context>().Add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx green) {
  const auto context = FindGreen(green);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  Live<Context>().Remove(context->Handle());
  context->Reset();
  return CUDA_SUCCESS;
}

CUresult cuCtxFromGreenCtx(CUcontext* context, CUgreenCtx green) {
  const auto found = FindGreen(green);
  if (context == nullptr || !found) return CUDA_ERROR_INVALID_CONTEXT;
  *context = found->Handle();
  return CUDA_SUCCESS;
}

CUresult cuGreenCtxStreamCreate(CUstream* stream, CUgreenCtx green, unsigned flags, int priority) {
  const auto context = FindGreen(green);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (stream == nullptr || flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *stream = context->CreateStream(flags, priority)->Handle();
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace hostcuda
