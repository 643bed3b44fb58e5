#include "tests/hostcuda/driver/devices.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/hostcuda/driver/calls.h"

namespace hostcuda {
namespace {

constexpr char kDeviceName[] = "hostcuda";

int DeviceCountFromEnvironment() {
  const char* text = std::getenv("HOSTCUDA_DEVICES");
  if (text == nullptr) return 1;
  char* end = nullptr;
  long count = std::strtol(text, &end, 10);
  if (*text != '\0' && *end == '\0' && count >= 0 && count <= 64) return static_cast<int>(count);
  std::fprintf(stderr, "hostcuda: HOSTCUDA_DEVICES=%s: a number from 0 to 64 is wanted\n", text);
  std::exit(2);
}

const std::map<int, int>& Attributes() {
  static const auto& attributes = *new std::map<int, int>{
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, static_cast<int>(kMaxThreadsPerBlock)},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, static_cast<int>(kMaxSharedBytes)},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 * 1024},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 * 1024},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 32 * 1024 * 1024},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
      {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
      {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
      {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
      {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
  };
  return attributes;
}

struct Primary {
  std::shared_ptr<Context> context;
  int retained = 0;
};

struct Primaries {
  std::mutex mutex;
  std::vector<Primary> of_device;
};

Primaries& AllPrimaries() {
  static auto& primaries = *[] {
    auto* made = new Primaries;
    for (int device = 0; device < DeviceCount(); ++device) {
      made->of_device.push_back({std::make_shared<Context>(device, true)});
    }
    return made;
  }();
  return primaries;
}

void End(Primary& primary) {
  Live<Context>().Remove(primary.context.get());
  primary.context->Reset();
}

CUresult CheckDevice(CUdevice device, const void* out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return IsDevice(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

}  // namespace

int DeviceCount() {
  static const int count = DeviceCountFromEnvironment();
  return count;
}

bool IsDevice(CUdevice device) { return device >= 0 && device < DeviceCount(); }

std::shared_ptr<Context> PrimaryContext(CUdevice device) {
  return AllPrimaries().of_device[device].context;
}

bool IsPrimary(CUcontext handle) {
  return std::ranges::any_of(AllPrimaries().of_device, [handle](const Primary& primary) {
    return primary.context->Handle() == handle;
  });
}

std::shared_ptr<Context> RetainPrimary(CUdevice device) {
  std::lock_guard lock(AllPrimaries().mutex);
  Primary& primary = AllPrimaries().of_device[device];
  ++primary.retained;
  Live<Context>().Add(primary.context);
  return primary.context;
}

CUresult ReleasePrimary(CUdevice device) {
  std::lock_guard lock(AllPrimaries().mutex);
  Primary& primary = AllPrimaries().of_device[device];
  if (primary.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary.retained == 0) End(primary);
  return CUDA_SUCCESS;
}

void ResetPrimary(CUdevice device) {
  std::lock_guard lock(AllPrimaries().mutex);
  End(AllPrimaries().of_device[device]);
}

namespace calls {

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  CUresult result = CheckDevice(ordinal, device);
  if (result == CUDA_SUCCESS) *device = ordinal;
  return result;
}

CUresult cuDeviceGetCount(int* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = DeviceCount();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  CUresult result = CheckDevice(device, name);
  if (result == CUDA_SUCCESS) std::snprintf(name, static_cast<std::size_t>(length), kDeviceName);
  return result;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return calls::cuDeviceGetUuid_v2(uuid, device);
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  CUresult result = CheckDevice(device, uuid);
  if (result != CUDA_SUCCESS) return result;
  std::memset(uuid->bytes, 0, sizeof(uuid->bytes));
  std::memcpy(uuid->bytes, kDeviceName, sizeof(kDeviceName) - 1);
  uuid->bytes[sizeof(uuid->bytes) - 1] = static_cast<char>(device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  CUresult result = CheckDevice(device, bytes);
  if (result == CUDA_SUCCESS) *bytes = kDeviceMemoryBytes;
  return result;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  CUresult result = CheckDevice(device, value);
  if (result != CUDA_SUCCESS) return result;
  if (attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) {
    *value = device + 1;
    return CUDA_SUCCESS;
  }
  auto found = Attributes().find(attribute);
  *value = found == Attributes().end() ? 0 : found->second;
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CheckDevice(device, major);
  if (result != CUDA_SUCCESS) return result;
  *major = Attributes().at(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  *minor = Attributes().at(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  CUresult result = CheckDevice(device, text);
  if (result != CUDA_SUCCESS) return result;
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  if (device == nullptr || text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  unsigned bus = 0;
  if (std::sscanf(text, "%*x:%x:", &bus) != 1) return CUDA_ERROR_INVALID_VALUE;
  return calls::cuDeviceGet(device, static_cast<int>(bus) - 1);
}

}  // namespace calls
}  // namespace hostcuda
