// Kernels that are launched: of interest in captures alone, so that outside of them a launch costs
// two loads more.
#include "interpose/hooks/hook.h"

using namespace graphtap::hooks;

namespace {

void Launched(CUresult result, CUstream stream, bool per_thread) {
  auto* observer = Observer::Active();
  if (observer == nullptr || result != CUDA_SUCCESS || !observer->AnyCaptureOpen()) return;
  observer->OnNode(observer->Stream(stream, per_thread), nullptr);
}

// The driver has refused a null configuration.
CUresult LaunchedEx(CUresult result, const CUlaunchConfig* config, bool per_thread) {
  if (result == CUDA_SUCCESS) Launched(result, config->hStream, per_thread);
  return result;
}

}  // namespace

GRAPHTAP_HOOK cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z,
                             unsigned shared_bytes, CUstream stream, void** parameters,
                             void** extra) {
  const CUresult result =
      CallReal<Hook::cuLaunchKernel>(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                     shared_bytes, stream, parameters, extra);
  Launched(result, stream, false);
  return result;
}

GRAPHTAP_HOOK cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                  unsigned grid_z, unsigned block_x, unsigned block_y,
                                  unsigned block_z, unsigned shared_bytes, CUstream stream,
                                  void** parameters, void** extra) {
  const CUresult result =
      CallReal<Hook::cuLaunchKernel_ptsz>(function, grid_x, grid_y, grid_z, block_x, block_y,
                                          block_z, shared_bytes, stream, parameters, extra);
  Launched(result, stream, true);
  return result;
}

GRAPHTAP_HOOK cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                               void** extra) {
  return LaunchedEx(CallReal<Hook::cuLaunchKernelEx>(config, function, parameters, extra), config,
                    false);
}

GRAPHTAP_HOOK cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction function,
                                    void** parameters, void** extra) {
  return LaunchedEx(CallReal<Hook::cuLaunchKernelEx_ptsz>(config, function, parameters, extra),
                    config, true);
}

GRAPHTAP_HOOK cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y,
                                        unsigned block_z, unsigned shared_bytes, CUstream stream,
                                        void** parameters) {
  const CUresult result =
      CallReal<Hook::cuLaunchCooperativeKernel>(function, grid_x, grid_y, grid_z, block_x, block_y,
                                                block_z, shared_bytes, stream, parameters);
  Launched(result, stream, false);
  return result;
}

GRAPHTAP_HOOK cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                             unsigned grid_z, unsigned block_x, unsigned block_y,
                                             unsigned block_z, unsigned shared_bytes,
                                             CUstream stream, void** parameters) {
  const CUresult result = CallReal<Hook::cuLaunchCooperativeKernel_ptsz>(
      function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
      parameters);
  Launched(result, stream, true);
  return result;
}
