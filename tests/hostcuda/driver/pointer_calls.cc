#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/graph_memory.h"
#include "tests/hostcuda/driver/peer_access.h"

namespace hostcuda {
namespace {

template <typename Value>
CUresult Set(void* data, Value value) {
  *static_cast<Value*>(data) = value;
  return CUDA_SUCCESS;
}

CUresult Get(const Allocation& allocation, CUpointer_attribute attribute, CUdeviceptr address,
             void* data) {
  bool host = allocation.IsHost();
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return Set(data, allocation.context->Handle());
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return Set<unsigned>(data, host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: {
      const auto context = CurrentContext();
      if (context != nullptr && !MayReach(*context, allocation)) return CUDA_ERROR_INVALID_VALUE;
      return Set(data, address);
    }
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!host && allocation.kind != MemoryKind::kManaged) return CUDA_ERROR_INVALID_VALUE;
      return Set(data, reinterpret_cast<void*>(address));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return Set<unsigned long long>(data, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return Set<unsigned>(data, allocation.kind == MemoryKind::kManaged);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return Set<int>(data, allocation.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return Set<CUdeviceptr>(data, allocation.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return Set<std::size_t>(data, allocation.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return Set<bool>(data, true);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

// What cuPointerGetAttributes gives for an address that the driver does not know.
void SetUnknown(CUpointer_attribute attribute, CUdeviceptr address, void* data) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<void**>(data) = nullptr;
      break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<CUdeviceptr*>(data) = address;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<unsigned long long*>(data) = 0;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(data) = -2;  // as the driver says "no device"
      break;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *static_cast<bool*>(data) = false;
      break;
    default:
      *static_cast<unsigned*>(data) = 0;
      break;
  }
}

}  // namespace

namespace calls {

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  std::optional<Allocation> found = FindKnown(address);
  if (data == nullptr || !found) return CUDA_ERROR_INVALID_VALUE;
  return Get(*found, attribute, address, data);
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr address) {
  if (count == 0 || attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::optional<Allocation> found = FindKnown(address);
  for (unsigned i = 0; i < count; ++i) {
    CUresult result = CUDA_SUCCESS;
    if (found) result = Get(*found, attributes[i], address, data[i]);
    if (result == CUDA_ERROR_NOT_SUPPORTED) return result;
    if (result != CUDA_SUCCESS) *static_cast<void**>(data[i]) = nullptr;  // no host pointer
    if (!found) SetUnknown(attributes[i], address, data[i]);
  }
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace hostcuda
