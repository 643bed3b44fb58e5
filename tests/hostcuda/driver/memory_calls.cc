#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/devices.h"
#include "tests/hostcuda/driver/graph_memory.h"
#include "tests/hostcuda/driver/memory.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

constexpr std::size_t kPitchAlignment = 512;
constexpr unsigned kHostAllocFlags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned kHostRegisterFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                        CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

CUresult Allocate(MemoryKind kind, std::size_t bytes, unsigned flags, void** start) {
  if (start == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CheckCaptureRules(CallClass::kUnsafe);
  if (result != CUDA_SUCCESS) return result;
  void* memory = Memory().Allocate(kind, bytes, flags, CurrentContext()->Root());
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *start = memory;
  return CUDA_SUCCESS;
}

CUresult AllocateDevice(MemoryKind kind, std::size_t bytes, unsigned flags, CUdeviceptr* address) {
  if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
  void* start = nullptr;
  CUresult result = Allocate(kind, bytes, flags, &start);
  if (result == CUDA_SUCCESS) *address = reinterpret_cast<CUdeviceptr>(start);
  return result;
}

// The context whose work may use the memory; that of pools and graphs belongs to none.
Context& UserOf(const Allocation& allocation) {
  std::shared_ptr<Context> current = CurrentContext();
  return current && !EndsWithContext(allocation.kind) ? *current : *allocation.context;
}

// Freeing waits for the device, as the driver does.
template <typename Predicate>
CUresult Free(std::uintptr_t base, Predicate matches) {
  CUresult result = CheckCaptureRules(CallClass::kUnsafe);
  if (result != CUDA_SUCCESS) return result;
  std::optional<Allocation> allocation = Memory().Find(base);
  if (!allocation || allocation->base != base || !matches(allocation->kind)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  result = UserOf(*allocation).Synchronize();
  if (result != CUDA_SUCCESS) return result;
  if (allocation->kind == MemoryKind::kGraph) return FreeGraphMemory(FindGraphAllocation(base));
  return Memory().Free(base, matches) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

std::optional<Allocation> FindHost(const void* pointer) {
  std::optional<Allocation> found = Memory().Find(reinterpret_cast<std::uintptr_t>(pointer));
  return found && found->IsHost() ? found : std::nullopt;
}

}  // namespace

namespace calls {

CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  if (free_bytes == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
  int device = CurrentContext()->device;
  *free_bytes = Memory().FreeBytes(device) - ReservedForGraphs(device);
  *total = kDeviceMemoryBytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  return AllocateDevice(MemoryKind::kDevice, bytes, 0, address);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* address, std::size_t* pitch, std::size_t width,
                            std::size_t height, unsigned element_bytes) {
  bool element = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
  if (pitch == nullptr || width == 0 || !element) return CUDA_ERROR_INVALID_VALUE;
  std::size_t row = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  CUresult result = AllocateDevice(MemoryKind::kDevice, row * height, 0, address);
  if (result == CUDA_SUCCESS) *pitch = row;
  return result;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  return Free(address, [](MemoryKind kind) {
    return kind == MemoryKind::kDevice || kind == MemoryKind::kManaged ||
           kind == MemoryKind::kPool || kind == MemoryKind::kGraph;
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  std::optional<Allocation> found = FindKnown(address);
  if (!found) return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = found->base;
  if (bytes != nullptr) *bytes = found->bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void** start, std::size_t bytes) {
  return Allocate(MemoryKind::kPinned, bytes, CU_MEMHOSTALLOC_DEVICEMAP, start);
}

CUresult cuMemHostAlloc(void** start, std::size_t bytes, unsigned flags) {
  if ((flags & ~kHostAllocFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  return Allocate(MemoryKind::kPinned, bytes, flags | CU_MEMHOSTALLOC_DEVICEMAP, start);
}

CUresult cuMemFreeHost(void* start) {
  return Free(reinterpret_cast<std::uintptr_t>(start),
              [](MemoryKind kind) { return kind == MemoryKind::kPinned; });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned flags) {
  if (address == nullptr || flags != 0 || !FindHost(pointer)) return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  std::optional<Allocation> found = FindHost(pointer);
  if (flags == nullptr || !found) return CUDA_ERROR_INVALID_VALUE;
  *flags = found->flags;
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void* start, std::size_t bytes, unsigned flags) {
  bool malformed = start == nullptr || bytes == 0 || (flags & ~kHostRegisterFlags) != 0;
  if (malformed) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CheckCaptureRules(CallClass::kUnsafe);
  if (result != CUDA_SUCCESS) return result;
  bool registered = Memory().Register(start, bytes, flags | CU_MEMHOSTREGISTER_DEVICEMAP,
                                      CurrentContext()->Root());
  return registered ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

CUresult cuMemHostUnregister(void* start) {
  CUresult result = Free(reinterpret_cast<std::uintptr_t>(start),
                         [](MemoryKind kind) { return kind == MemoryKind::kRegistered; });
  return result == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED : result;
}

CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  bool known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST;
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  return AllocateDevice(MemoryKind::kManaged, bytes, flags, address);
}

}  // namespace calls
}  // namespace hostcuda
