// Copies, fills and host functions: of interest in captures alone, as kernels are. One of nothing
// may add no node, so the capture is asked before and after it.
#include "interpose/hooks/hook.h"

using namespace graphtap::hooks;

namespace {

CUgraphNode Newest(CUstream stream, bool per_thread) {
  auto* observer = Observer::Active();
  if (observer == nullptr || !observer->AnyCaptureOpen()) return nullptr;
  return observer->BeforeNode(observer->Stream(stream, per_thread));
}

// `arguments`: all of the call, `stream` among them.
template <Hook hook, typename... Arguments>
CUresult Submit(CUstream stream, Arguments... arguments) {
  constexpr bool kPerThread = graphtap::driver::HookType<hook>::kPerThread;
  const CUgraphNode before = Newest(stream, kPerThread);
  const CUresult result = CallReal<hook>(arguments...);
  auto* observer = Observer::Active();
  if (observer != nullptr && result == CUDA_SUCCESS && observer->AnyCaptureOpen()) {
    observer->OnNode(observer->Stream(stream, kPerThread), before);
  }
  return result;
}

}  // namespace

GRAPHTAP_HOOK cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Submit<Hook::cuMemcpyAsync>(stream, to, from, bytes, stream);
}

GRAPHTAP_HOOK cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Submit<Hook::cuMemcpyAsync_ptsz>(stream, to, from, bytes, stream);
}

GRAPHTAP_HOOK cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes,
                                   CUstream stream) {
  return Submit<Hook::cuMemcpyHtoDAsync_v2>(stream, to, from, bytes, stream);
}

GRAPHTAP_HOOK cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void* from, size_t bytes,
                                        CUstream stream) {
  return Submit<Hook::cuMemcpyHtoDAsync_v2_ptsz>(stream, to, from, bytes, stream);
}

GRAPHTAP_HOOK cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Submit<Hook::cuMemcpyDtoHAsync_v2>(stream, to, from, bytes, stream);
}

GRAPHTAP_HOOK cuMemcpyDtoHAsync_v2_ptsz(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return Submit<Hook::cuMemcpyDtoHAsync_v2_ptsz>(stream, to, from, bytes, stream);
}

GRAPHTAP_HOOK cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                   CUstream stream) {
  return Submit<Hook::cuMemcpyDtoDAsync_v2>(stream, to, from, bytes, stream);
}

GRAPHTAP_HOOK cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                        CUstream stream) {
  return Submit<Hook::cuMemcpyDtoDAsync_v2_ptsz>(stream, to, from, bytes, stream);
}

GRAPHTAP_HOOK cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return Submit<Hook::cuMemcpy2DAsync_v2>(stream, copy, stream);
}

GRAPHTAP_HOOK cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return Submit<Hook::cuMemcpy2DAsync_v2_ptsz>(stream, copy, stream);
}

GRAPHTAP_HOOK cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return Submit<Hook::cuMemcpy3DAsync_v2>(stream, copy, stream);
}

GRAPHTAP_HOOK cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return Submit<Hook::cuMemcpy3DAsync_v2_ptsz>(stream, copy, stream);
}

GRAPHTAP_HOOK cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  return Submit<Hook::cuMemcpy3DPeerAsync>(stream, copy, stream);
}

GRAPHTAP_HOOK cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  return Submit<Hook::cuMemcpy3DPeerAsync_ptsz>(stream, copy, stream);
}

GRAPHTAP_HOOK cuMemsetD8Async(CUdeviceptr start, unsigned char value, size_t count,
                              CUstream stream) {
  return Submit<Hook::cuMemsetD8Async>(stream, start, value, count, stream);
}

GRAPHTAP_HOOK cuMemsetD8Async_ptsz(CUdeviceptr start, unsigned char value, size_t count,
                                   CUstream stream) {
  return Submit<Hook::cuMemsetD8Async_ptsz>(stream, start, value, count, stream);
}

GRAPHTAP_HOOK cuMemsetD16Async(CUdeviceptr start, unsigned short value, size_t count,
                               CUstream stream) {
  return Submit<Hook::cuMemsetD16Async>(stream, start, value, count, stream);
}

GRAPHTAP_HOOK cuMemsetD16Async_ptsz(CUdeviceptr start, unsigned short value, size_t count,
                                    CUstream stream) {
  return Submit<Hook::cuMemsetD16Async_ptsz>(stream, start, value, count, stream);
}

GRAPHTAP_HOOK cuMemsetD32Async(CUdeviceptr start, unsigned int value, size_t count,
                               CUstream stream) {
  return Submit<Hook::cuMemsetD32Async>(stream, start, value, count, stream);
}

GRAPHTAP_HOOK cuMemsetD32Async_ptsz(CUdeviceptr start, unsigned int value, size_t count,
                                    CUstream stream) {
  return Submit<Hook::cuMemsetD32Async_ptsz>(stream, start, value, count, stream);
}

GRAPHTAP_HOOK cuMemsetD2D8Async(CUdeviceptr start, size_t pitch, unsigned char value, size_t width,
                                size_t height, CUstream stream) {
  return Submit<Hook::cuMemsetD2D8Async>(stream, start, pitch, value, width, height, stream);
}

GRAPHTAP_HOOK cuMemsetD2D8Async_ptsz(CUdeviceptr start, size_t pitch, unsigned char value,
                                     size_t width, size_t height, CUstream stream) {
  return Submit<Hook::cuMemsetD2D8Async_ptsz>(stream, start, pitch, value, width, height, stream);
}

GRAPHTAP_HOOK cuMemsetD2D16Async(CUdeviceptr start, size_t pitch, unsigned short value,
                                 size_t width, size_t height, CUstream stream) {
  return Submit<Hook::cuMemsetD2D16Async>(stream, start, pitch, value, width, height, stream);
}

GRAPHTAP_HOOK cuMemsetD2D16Async_ptsz(CUdeviceptr start, size_t pitch, unsigned short value,
                                      size_t width, size_t height, CUstream stream) {
  return Submit<Hook::cuMemsetD2D16Async_ptsz>(stream, start, pitch, value, width, height, stream);
}

GRAPHTAP_HOOK cuMemsetD2D32Async(CUdeviceptr start, size_t pitch, unsigned int value, size_t width,
                                 size_t height, CUstream stream) {
  return Submit<Hook::cuMemsetD2D32Async>(stream, start, pitch, value, width, height, stream);
}

GRAPHTAP_HOOK cuMemsetD2D32Async_ptsz(CUdeviceptr start, size_t pitch, unsigned int value,
                                      size_t width, size_t height, CUstream stream) {
  return Submit<Hook::cuMemsetD2D32Async_ptsz>(stream, start, pitch, value, width, height, stream);
}

GRAPHTAP_HOOK cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return Submit<Hook::cuLaunchHostFunc>(stream, stream, function, data);
}

GRAPHTAP_HOOK cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void* data) {
  return Submit<Hook::cuLaunchHostFunc_ptsz>(stream, stream, function, data);
}
