// CopyParameters: one copy in the runtime's words and in the driver's. Arrays (textures) are not
// known here. Owner: values. Threads: none. Failure: cudaErrorInvalidValue for a copy that names an
// array. Units: bytes.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace hostcuda {

// `bytes` contiguous bytes from `source` to `destination`.
cudaMemcpy3DParms LinearCopy(void* destination, const void* source, size_t bytes,
                             cudaMemcpyKind kind);

cudaError_t ToDriver(const cudaMemcpy3DParms& copy, CUDA_MEMCPY3D* driver_copy);
cudaMemcpy3DParms FromDriver(const CUDA_MEMCPY3D& driver_copy);

}  // namespace hostcuda
