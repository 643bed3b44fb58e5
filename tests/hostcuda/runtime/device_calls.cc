// Devices, versions, and the driver's own entry points by name.
#include <array>
#include <utility>

#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Call;
using hostcuda::DefaultStream;
using hostcuda::Driver;
using hostcuda::DriverTable;
using hostcuda::Keep;
using hostcuda::RawCall;

namespace {

// A driver call that needs cuInit but no context.
template <typename Function, typename... Arguments>
cudaError_t DeviceCall(Function DriverTable::* entry, Arguments... arguments) {
  cudaError_t error = hostcuda::EnsureInitialized();
  if (error == cudaSuccess) error = RawCall(Driver(DefaultStream::kLegacy), entry, arguments...);
  return Keep(error);
}

int Attribute(CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  DeviceCall(&DriverTable::cuDeviceGetAttribute_v2000, &value, attribute, device);
  return value;
}

void FillProperties(cudaDeviceProp* properties, CUdevice device) {
  using Field = std::pair<int cudaDeviceProp::*, CUdevice_attribute>;
  static constexpr auto kFields = std::to_array<Field>({
      {&cudaDeviceProp::regsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
      {&cudaDeviceProp::warpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
      {&cudaDeviceProp::maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {&cudaDeviceProp::major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {&cudaDeviceProp::minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {&cudaDeviceProp::multiProcessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {&cudaDeviceProp::integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED},
      {&cudaDeviceProp::canMapHostMemory, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY},
      {&cudaDeviceProp::concurrentKernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS},
      {&cudaDeviceProp::ECCEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
      {&cudaDeviceProp::pciBusID, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID},
      {&cudaDeviceProp::pciDeviceID, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID},
      {&cudaDeviceProp::asyncEngineCount, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
      {&cudaDeviceProp::unifiedAddressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING},
      {&cudaDeviceProp::l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {&cudaDeviceProp::maxThreadsPerMultiProcessor,
       CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {&cudaDeviceProp::managedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY},
      {&cudaDeviceProp::cooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
      {&cudaDeviceProp::streamPrioritiesSupported, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED},
      {&cudaDeviceProp::memoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
  });
  for (const auto& [field, attribute] : kFields) properties->*field = Attribute(device, attribute);
  const auto attribute_at = [device](CUdevice_attribute first, int i) {
    return Attribute(device, static_cast<CUdevice_attribute>(first + i));
  };
  for (int i = 0; i < 3; ++i) {
    properties->maxThreadsDim[i] = attribute_at(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, i);
    properties->maxGridSize[i] = attribute_at(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, i);
  }
  properties->sharedMemPerBlock =
      static_cast<size_t>(Attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  properties->totalConstMem =
      static_cast<size_t>(Attribute(device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY));
}

cudaError_t EntryPoint(DefaultStream default_stream, const char* symbol, void** function,
                       unsigned version, unsigned long long flags,
                       cudaDriverEntryPointQueryResult* status) {
  if (symbol == nullptr || function == nullptr || flags > 2) return Keep(cudaErrorInvalidValue);
  const DriverTable& driver = Driver(DefaultStream::kLegacy);
  if (driver.resolver == nullptr) return Keep(cudaErrorInsufficientDriver);
  if (flags == cudaEnableDefault && default_stream == DefaultStream::kPerThread) {
    flags = cudaEnablePerThreadDefaultStream;
  }
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  *function = nullptr;
  const CUresult result =
      driver.resolver(symbol, function, static_cast<int>(version), flags, &found);
  if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
  // An unknown name is the status' to tell, not an error.
  if (result == CUDA_ERROR_NOT_FOUND) return cudaSuccess;
  return Keep(hostcuda::ToRuntime(result));
}

}  // namespace

extern "C" cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

extern "C" cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;  // what the real runtime says where there is no driver
  const DriverTable& driver = Driver(DefaultStream::kLegacy);
  if (driver.resolver == nullptr) return cudaSuccess;
  return Keep(RawCall(driver, &DriverTable::cuDriverGetVersion_v2020, version));
}

extern "C" cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  const cudaError_t error = DeviceCall(&DriverTable::cuDeviceGetCount_v2000, count);
  return error == cudaSuccess && *count == 0 ? Keep(cudaErrorNoDevice) : error;
}

extern "C" cudaError_t cudaSetDevice(int device) { return Keep(hostcuda::UseDevice(device)); }

extern "C" cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return Keep(hostcuda::UseDevice(device));
}

extern "C" cudaError_t cudaGetDevice(int* device) {
  const cudaError_t error = hostcuda::EnsureInitialized();
  *device = hostcuda::ThreadDevice();
  return Keep(error);
}

extern "C" cudaError_t cudaDeviceSynchronize(void) {
  return Call(&DriverTable::cuCtxSynchronize_v2000);
}

extern "C" cudaError_t cudaDeviceReset(void) {
  CUdevice device = 0;
  const cudaError_t error = Call(&DriverTable::cuCtxGetDevice_v2000, &device);
  if (error != cudaSuccess) return error;
  return DeviceCall(&DriverTable::cuDevicePrimaryCtxReset_v7000, device);
}

extern "C" cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int ordinal) {
  CUdevice device = 0;
  const cudaError_t error = DeviceCall(&DriverTable::cuDeviceGet_v2000, &device, ordinal);
  if (error != cudaSuccess) return error;
  return DeviceCall(&DriverTable::cuDeviceGetAttribute_v2000, value,
                    static_cast<CUdevice_attribute>(attribute), device);
}

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int ordinal) {
  CUdevice device = 0;
  cudaError_t error = DeviceCall(&DriverTable::cuDeviceGet_v2000, &device, ordinal);
  if (error != cudaSuccess) return error;
  *properties = {};
  error = DeviceCall(&DriverTable::cuDeviceGetName_v2000, properties->name,
                     static_cast<int>(sizeof(properties->name)), device);
  if (error != cudaSuccess) return error;
  error = DeviceCall(&DriverTable::cuDeviceTotalMem_v3020, &properties->totalGlobalMem, device);
  if (error == cudaSuccess) FillProperties(properties, device);
  return error;
}

// The runtime and the driver number what graphs hold of a device's memory alike.
extern "C" cudaError_t cudaDeviceGraphMemTrim(int device) {
  return DeviceCall(&DriverTable::cuDeviceGraphMemTrim_v11040, device);
}

extern "C" cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                                      cudaGraphMemAttributeType attribute,
                                                      void* value) {
  return DeviceCall(&DriverTable::cuDeviceGetGraphMemAttribute_v11040, device,
                    static_cast<CUgraphMem_attribute>(attribute), value);
}

extern "C" cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                                      cudaGraphMemAttributeType attribute,
                                                      void* value) {
  return DeviceCall(&DriverTable::cuDeviceSetGraphMemAttribute_v11040, device,
                    static_cast<CUgraphMem_attribute>(attribute), value);
}

extern "C" cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return Call(&DriverTable::cuCtxGetStreamPriorityRange_v5050, least, greatest);
}

HOSTCUDA_STREAM_ENTRY(cudaGetDriverEntryPoint, _ptsz,
                      (const char* symbol, void** function, unsigned long long flags,
                       cudaDriverEntryPointQueryResult* status),
                      {
                        return EntryPoint(default_stream, symbol, function, CUDART_VERSION, flags,
                                          status);
                      })

HOSTCUDA_STREAM_ENTRY(cudaGetDriverEntryPointByVersion, _ptsz,
                      (const char* symbol, void** function, unsigned version,
                       unsigned long long flags, cudaDriverEntryPointQueryResult* status),
                      {
                        return EntryPoint(default_stream, symbol, function, version, flags, status);
                      })
