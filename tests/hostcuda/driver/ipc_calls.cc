// Memory of other processes: the memory of this driver is the process' own, so all is refused, as
// by drivers of systems without such sharing.
#include "tests/hostcuda/driver/calls.h"

namespace hostcuda::calls {

CUresult cuIpcGetMemHandle(CUipcMemHandle*, CUdeviceptr) { return CUDA_ERROR_NOT_SUPPORTED; }

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr*, CUipcMemHandle, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr) { return CUDA_ERROR_NOT_SUPPORTED; }

}  // namespace hostcuda::calls
