#include <cstring>
#include <vector>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/memory.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

// The driver stages pageable sources up to this size, so the caller may reuse them at once.
constexpr std::size_t kStagedBytes = 64 * 1024;

CUDA_MEMCPY3D Linear(CUmemorytype to_type, std::uintptr_t to, CUmemorytype from_type,
                     std::uintptr_t from, std::size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = from_type;
  copy.srcHost = reinterpret_cast<const void*>(from);
  copy.srcDevice = from;
  copy.dstMemoryType = to_type;
  copy.dstHost = reinterpret_cast<void*>(to);
  copy.dstDevice = to;
  copy.WidthInBytes = bytes;
  copy.Height = 1;
  copy.Depth = 1;
  return copy;
}

std::uintptr_t Address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

CUDA_MEMCPY3D Flat(const CUDA_MEMCPY2D& flat) {
  CUDA_MEMCPY3D copy{};
  copy.srcXInBytes = flat.srcXInBytes;
  copy.srcY = flat.srcY;
  copy.srcMemoryType = flat.srcMemoryType;
  copy.srcHost = flat.srcHost;
  copy.srcDevice = flat.srcDevice;
  copy.srcPitch = flat.srcPitch;
  copy.dstXInBytes = flat.dstXInBytes;
  copy.dstY = flat.dstY;
  copy.dstMemoryType = flat.dstMemoryType;
  copy.dstHost = flat.dstHost;
  copy.dstDevice = flat.dstDevice;
  copy.dstPitch = flat.dstPitch;
  copy.WidthInBytes = flat.WidthInBytes;
  copy.Height = flat.Height;
  copy.Depth = 1;
  return copy;
}

CUDA_MEMCPY3D WithoutContexts(const CUDA_MEMCPY3D_PEER& peer) {
  CUDA_MEMCPY3D copy{};
  copy.srcXInBytes = peer.srcXInBytes;
  copy.srcY = peer.srcY;
  copy.srcZ = peer.srcZ;
  copy.srcMemoryType = peer.srcMemoryType;
  copy.srcHost = peer.srcHost;
  copy.srcDevice = peer.srcDevice;
  copy.srcPitch = peer.srcPitch;
  copy.srcHeight = peer.srcHeight;
  copy.dstXInBytes = peer.dstXInBytes;
  copy.dstY = peer.dstY;
  copy.dstZ = peer.dstZ;
  copy.dstMemoryType = peer.dstMemoryType;
  copy.dstHost = peer.dstHost;
  copy.dstDevice = peer.dstDevice;
  copy.dstPitch = peer.dstPitch;
  copy.dstHeight = peer.dstHeight;
  copy.WidthInBytes = peer.WidthInBytes;
  copy.Height = peer.Height;
  copy.Depth = peer.Depth;
  return copy;
}

bool AreAlive(CUcontext first, CUcontext second) {
  return Live<Context>().Find(first) != nullptr && Live<Context>().Find(second) != nullptr;
}

bool IsPageable(CUmemorytype type, const void* host, CUdeviceptr address) {
  if (type == CU_MEMORYTYPE_DEVICE) return false;
  return !Memory().Find(type == CU_MEMORYTYPE_HOST ? Address(host) : address);
}

bool FromPageable(const CUDA_MEMCPY3D& copy) {
  return IsPageable(copy.srcMemoryType, copy.srcHost, copy.srcDevice);
}

bool ToPageable(const CUDA_MEMCPY3D& copy) {
  return IsPageable(copy.dstMemoryType, copy.dstHost, copy.dstDevice);
}

// Copies that wait: on the default stream, which must not be capturing.
CUresult CopyNow(const CUDA_MEMCPY3D& copy) {
  CUresult result = CheckCopy(copy);
  if (result == CUDA_SUCCESS) result = CheckCaptureRules(CallClass::kSynchronizing);
  std::shared_ptr<Stream> stream;
  if (result == CUDA_SUCCESS) result = ResolveStream(nullptr, &stream);
  if (result == CUDA_SUCCESS) result = CheckNotCapturing(*stream);
  if (result == CUDA_SUCCESS) result = Submit(*stream, CopyWork{copy, &stream->context});
  if (result != CUDA_SUCCESS) return result;
  WaitAll(stream->Pending());
  return stream->context.Error();
}

// A small linear copy from pageable memory: its bytes are taken now.
void EnqueueStaged(Stream& stream, CUDA_MEMCPY3D copy) {
  const auto* bytes = static_cast<const std::byte*>(
      copy.srcMemoryType == CU_MEMORYTYPE_HOST ? copy.srcHost
                                               : reinterpret_cast<const void*>(copy.srcDevice));
  bytes += copy.srcXInBytes;
  std::vector<std::byte> staged(bytes, bytes + copy.WidthInBytes);
  copy.srcXInBytes = 0;
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  stream.Enqueue([copy, staged = std::move(staged)]() mutable {
    copy.srcHost = staged.data();
    return RunCopy(copy);
  });
}

CUresult CopyAsync(const CUDA_MEMCPY3D& copy, CUstream handle) {
  CUresult result = CheckCopy(copy);
  std::shared_ptr<Stream> stream;
  if (result == CUDA_SUCCESS) result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  CopyWork work{copy, &stream->context};
  if (CaptureWork(*stream, work, &result)) return result;
  bool linear = copy.Height == 1 && copy.Depth == 1 && copy.srcY == 0 && copy.srcZ == 0;
  if (FromPageable(copy) && linear && copy.WidthInBytes <= kStagedBytes && !ToPageable(copy)) {
    EnqueueStaged(*stream, copy);
    return CUDA_SUCCESS;
  }
  CompletionPtr copied = stream->Enqueue(work);
  if (FromPageable(copy) || ToPageable(copy)) copied->Wait();
  return CUDA_SUCCESS;
}

}  // namespace

namespace calls {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return CopyNow(Linear(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return CopyNow(Linear(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, Address(from), bytes));
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return CopyNow(Linear(CU_MEMORYTYPE_HOST, Address(to), CU_MEMORYTYPE_DEVICE, from, bytes));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return CopyNow(Linear(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes));
}

// Under unified addressing the contexts only have to be alive.
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, std::size_t bytes) {
  if (!AreAlive(to_context, from_context)) return CUDA_ERROR_INVALID_CONTEXT;
  return calls::cuMemcpyDtoD_v2(to, from, bytes);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, std::size_t bytes, CUstream handle) {
  if (!AreAlive(to_context, from_context)) return CUDA_ERROR_INVALID_CONTEXT;
  std::shared_ptr<Stream> stream;
  CUresult result = ResolveStream(handle, &stream);
  if (result == CUDA_SUCCESS) result = CheckNotCapturing(*stream);
  if (result != CUDA_SUCCESS) return result;
  return calls::cuMemcpyDtoDAsync_v2(to, from, bytes, handle);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* copy) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!AreAlive(copy->dstContext, copy->srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return CopyNow(WithoutContexts(*copy));
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!AreAlive(copy->dstContext, copy->srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
  return CopyAsync(WithoutContexts(*copy), stream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : CopyNow(Flat(*copy));
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) { return calls::cuMemcpy2D_v2(copy); }

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : CopyNow(*copy);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return CopyAsync(Linear(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes), stream);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                              CUstream stream) {
  return CopyAsync(Linear(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, Address(from), bytes),
                   stream);
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return CopyAsync(Linear(CU_MEMORYTYPE_HOST, Address(to), CU_MEMORYTYPE_DEVICE, from, bytes),
                   stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                              CUstream stream) {
  return CopyAsync(Linear(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes), stream);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : CopyAsync(Flat(*copy), stream);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : CopyAsync(*copy, stream);
}

}  // namespace calls
}  // namespace hostcuda
