#include "tests/hostcuda/driver/peer_access.h"

#include <cstring>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/devices.h"

namespace hostcuda {
namespace {

// The current context, which asks for access, and the one whose memory it wants.
CUresult FindBoth(CUcontext peer_handle, std::shared_ptr<Context>* context,
                  std::shared_ptr<Context>* peer) {
  *context = CurrentContext();
  *peer = Live<Context>().Find(peer_handle);
  return *peer == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

}  // namespace

bool MayReach(const Context& context, const Allocation& allocation) {
  if (allocation.IsHost() || allocation.kind == MemoryKind::kManaged) return true;
  if (allocation.kind == MemoryKind::kMapped) return allocation.access->Has(context.device);
  if (allocation.device == context.device) return true;
  return allocation.access ? allocation.access->Has(context.device)
                           : context.HasPeer(allocation.context);
}

CUresult CheckReach(const KernelWork& work) {
  if (DeviceCount() == 1) return CUDA_SUCCESS;  // what is mapped without access faults
  std::shared_ptr<Context> context = Live<Context>().Find(work.context);
  if (context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  std::uintptr_t word = 0;
  for (std::size_t at = 0; at + sizeof(word) <= work.arguments.size(); at += sizeof(word)) {
    std::memcpy(&word, work.arguments.data() + at, sizeof(word));
    std::optional<Allocation> found = Memory().Find(word);
    if (found && !MayReach(*context, *found)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  return CUDA_SUCCESS;
}

namespace calls {

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Context> context, peer;
  CUresult result = FindBoth(handle, &context, &peer);
  if (result != CUDA_SUCCESS) return result;
  if (context->device == peer->device) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  return context->AddPeer(peer.get()) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  std::shared_ptr<Context> context, peer;
  CUresult result = FindBoth(handle, &context, &peer);
  if (result != CUDA_SUCCESS) return result;
  return context->RemovePeer(peer.get()) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  if (can == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device) || !IsDevice(peer)) return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice device,
                                 CUdevice peer) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!IsDevice(device) || !IsDevice(peer) || device == peer) return CUDA_ERROR_INVALID_DEVICE;
  switch (attribute) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
      *value = 1;
      return CUDA_SUCCESS;
    default:
      *value = 0;  // arrays are not known here
      return CUDA_SUCCESS;
  }
}

}  // namespace calls
}  // namespace hostcuda
