#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/memory.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

CUDA_MEMSET_NODE_PARAMS Rows(CUdeviceptr start, std::size_t pitch, unsigned value,
                             unsigned element_bytes, std::size_t width, std::size_t height) {
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = start;
  fill.pitch = pitch;
  fill.value = value;
  fill.elementSize = element_bytes;
  fill.width = width;
  fill.height = height;
  return fill;
}

CUDA_MEMSET_NODE_PARAMS Row(CUdeviceptr start, unsigned value, unsigned element_bytes,
                            std::size_t count) {
  return Rows(start, 0, value, element_bytes, count, 1);
}

CUresult FillAsync(const CUDA_MEMSET_NODE_PARAMS& fill, CUstream handle) {
  CUresult result = CheckFill(fill);
  std::shared_ptr<Stream> stream;
  if (result == CUDA_SUCCESS) result = ResolveStream(handle, &stream);
  return result == CUDA_SUCCESS ? Submit(*stream, FillWork{fill, &stream->context}) : result;
}

// On the default stream. As on the device, the caller does not wait for it.
CUresult Fill(const CUDA_MEMSET_NODE_PARAMS& fill) {
  CUresult result = CheckCaptureRules(CallClass::kSynchronizing);
  return result == CUDA_SUCCESS ? FillAsync(fill, nullptr) : result;
}

}  // namespace

namespace calls {

CUresult cuMemsetD8_v2(CUdeviceptr start, unsigned char value, std::size_t count) {
  return Fill(Row(start, value, 1, count));
}

CUresult cuMemsetD16_v2(CUdeviceptr start, unsigned short value, std::size_t count) {
  return Fill(Row(start, value, 2, count));
}

CUresult cuMemsetD32_v2(CUdeviceptr start, unsigned value, std::size_t count) {
  return Fill(Row(start, value, 4, count));
}

CUresult cuMemsetD2D8_v2(CUdeviceptr start, std::size_t pitch, unsigned char value,
                         std::size_t width, std::size_t height) {
  return Fill(Rows(start, pitch, value, 1, width, height));
}

CUresult cuMemsetD2D16_v2(CUdeviceptr start, std::size_t pitch, unsigned short value,
                          std::size_t width, std::size_t height) {
  return Fill(Rows(start, pitch, value, 2, width, height));
}

CUresult cuMemsetD2D32_v2(CUdeviceptr start, std::size_t pitch, unsigned value, std::size_t width,
                          std::size_t height) {
  return Fill(Rows(start, pitch, value, 4, width, height));
}

CUresult cuMemsetD8Async(CUdeviceptr start, unsigned char value, std::size_t count,
                         CUstream stream) {
  return FillAsync(Row(start, value, 1, count), stream);
}

CUresult cuMemsetD16Async(CUdeviceptr start, unsigned short value, std::size_t count,
                          CUstream stream) {
  return FillAsync(Row(start, value, 2, count), stream);
}

CUresult cuMemsetD32Async(CUdeviceptr start, unsigned value, std::size_t count, CUstream stream) {
  return FillAsync(Row(start, value, 4, count), stream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr start, std::size_t pitch, unsigned char value,
                           std::size_t width, std::size_t height, CUstream stream) {
  return FillAsync(Rows(start, pitch, value, 1, width, height), stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr start, std::size_t pitch, unsigned short value,
                            std::size_t width, std::size_t height, CUstream stream) {
  return FillAsync(Rows(start, pitch, value, 2, width, height), stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr start, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return FillAsync(Rows(start, pitch, value, 4, width, height), stream);
}

}  // namespace calls
}  // namespace hostcuda
