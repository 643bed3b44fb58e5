// Copies and fills outside graphs.
#include "tests/hostcuda/runtime/copy_parameters.h"
#include "tests/hostcuda/runtime/runtime.h"

namespace hostcuda {
namespace {

void* Host(const void* pointer) { return const_cast<void*>(pointer); }

cudaError_t Copy(DefaultStream default_stream, void* destination, const void* source, size_t bytes,
                 cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return Call(default_stream, &DriverTable::cuMemcpyHtoD_v3020, Address(destination), source,
                  bytes);
    case cudaMemcpyDeviceToHost:
      return Call(default_stream, &DriverTable::cuMemcpyDtoH_v3020, destination, Address(source),
                  bytes);
    case cudaMemcpyDeviceToDevice:
      return Call(default_stream, &DriverTable::cuMemcpyDtoD_v3020, Address(destination),
                  Address(source), bytes);
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return Call(default_stream, &DriverTable::cuMemcpy_v4000, Address(destination),
                  Address(source), bytes);
  }
  return Keep(cudaErrorInvalidMemcpyDirection);
}

cudaError_t CopyAsync(DefaultStream default_stream, void* destination, const void* source,
                      size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return Call(default_stream, &DriverTable::cuMemcpyHtoDAsync_v3020, Address(destination),
                  source, bytes, stream);
    case cudaMemcpyDeviceToHost:
      return Call(default_stream, &DriverTable::cuMemcpyDtoHAsync_v3020, destination,
                  Address(source), bytes, stream);
    case cudaMemcpyDeviceToDevice:
      return Call(default_stream, &DriverTable::cuMemcpyDtoDAsync_v3020, Address(destination),
                  Address(source), bytes, stream);
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return Call(default_stream, &DriverTable::cuMemcpyAsync_v4000, Address(destination),
                  Address(source), bytes, stream);
  }
  return Keep(cudaErrorInvalidMemcpyDirection);
}

// Rows of `width` bytes, as the driver describes them.
CUDA_MEMCPY2D Rows(void* destination, size_t destination_pitch, const void* source,
                   size_t source_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D types{};
  ToDriver(LinearCopy(destination, source, width, kind), &types);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = types.srcMemoryType;
  copy.srcHost = Host(source);
  copy.srcDevice = Address(source);
  copy.srcPitch = source_pitch;
  copy.dstMemoryType = types.dstMemoryType;
  copy.dstHost = destination;
  copy.dstDevice = Address(destination);
  copy.dstPitch = destination_pitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  return copy;
}

}  // namespace
}  // namespace hostcuda

using hostcuda::Address;
using hostcuda::Call;
using hostcuda::DriverTable;
using hostcuda::Keep;

HOSTCUDA_STREAM_ENTRY(cudaMemcpy, _ptds,
                      (void* destination, const void* source, size_t bytes, cudaMemcpyKind kind),
                      { return hostcuda::Copy(default_stream, destination, source, bytes, kind); })

HOSTCUDA_STREAM_ENTRY(
    cudaMemcpyAsync, _ptsz,
    (void* destination, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
    { return hostcuda::CopyAsync(default_stream, destination, source, bytes, kind, stream); })

HOSTCUDA_STREAM_ENTRY(cudaMemcpy2D, _ptds,
                      (void* destination, size_t destination_pitch, const void* source,
                       size_t source_pitch, size_t width, size_t height, cudaMemcpyKind kind),
                      {
                        const CUDA_MEMCPY2D copy =
                            hostcuda::Rows(destination, destination_pitch, source, source_pitch,
                                           width, height, kind);
                        return Call(default_stream, &DriverTable::cuMemcpy2DUnaligned_v3020, &copy);
                      })

HOSTCUDA_STREAM_ENTRY(
    cudaMemcpy2DAsync, _ptsz,
    (void* destination, size_t destination_pitch, const void* source, size_t source_pitch,
     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
    {
      const CUDA_MEMCPY2D copy =
          hostcuda::Rows(destination, destination_pitch, source, source_pitch, width, height, kind);
      return Call(default_stream, &DriverTable::cuMemcpy2DAsync_v3020, &copy, stream);
    })

HOSTCUDA_STREAM_ENTRY(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* parameters), {
  CUDA_MEMCPY3D copy;
  const cudaError_t error = hostcuda::ToDriver(*parameters, &copy);
  if (error != cudaSuccess) return Keep(error);
  return Call(default_stream, &DriverTable::cuMemcpy3D_v3020, &copy);
})

HOSTCUDA_STREAM_ENTRY(cudaMemcpy3DAsync, _ptsz,
                      (const cudaMemcpy3DParms* parameters, cudaStream_t stream), {
                        CUDA_MEMCPY3D copy;
                        const cudaError_t error = hostcuda::ToDriver(*parameters, &copy);
                        if (error != cudaSuccess) return Keep(error);
                        return Call(default_stream, &DriverTable::cuMemcpy3DAsync_v3020, &copy,
                                    stream);
                      })

HOSTCUDA_STREAM_ENTRY(cudaMemset, _ptds, (void* pointer, int value, size_t bytes), {
  return Call(default_stream, &DriverTable::cuMemsetD8_v3020, Address(pointer),
              static_cast<unsigned char>(value), bytes);
})

HOSTCUDA_STREAM_ENTRY(cudaMemsetAsync, _ptsz,
                      (void* pointer, int value, size_t bytes, cudaStream_t stream), {
                        return Call(default_stream, &DriverTable::cuMemsetD8Async_v3020,
                                    Address(pointer), static_cast<unsigned char>(value), bytes,
                                    stream);
                      })

HOSTCUDA_STREAM_ENTRY(cudaMemset2D, _ptds,
                      (void* pointer, size_t pitch, int value, size_t width, size_t height), {
                        return Call(default_stream, &DriverTable::cuMemsetD2D8_v3020,
                                    Address(pointer), pitch, static_cast<unsigned char>(value),
                                    width, height);
                      })

HOSTCUDA_STREAM_ENTRY(
    cudaMemset2DAsync, _ptsz,
    (void* pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream), {
      return Call(default_stream, &DriverTable::cuMemsetD2D8Async_v3020, Address(pointer), pitch,
                  static_cast<unsigned char>(value), width, height, stream);
    })
