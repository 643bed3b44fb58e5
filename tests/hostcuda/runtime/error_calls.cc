// cudaGetLastError and the names and texts of errors.
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Driver;
using hostcuda::DriverTable;

extern "C" cudaError_t cudaGetLastError(void) { return hostcuda::LastError(true); }

extern "C" cudaError_t cudaPeekAtLastError(void) { return hostcuda::LastError(false); }

extern "C" const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define HOSTCUDA_ERROR(name) \
  case name:                 \
    return #name;
#include "tests/hostcuda/runtime/error_names.inc"
#undef HOSTCUDA_ERROR
  }
  return "unrecognized error code";
}

// The driver has a text for what the two enumerations share; the others are told by their names.
extern "C" const char* cudaGetErrorString(cudaError_t error) {
  const char* text = nullptr;
  const cudaError_t asked =
      hostcuda::RawCall(Driver(hostcuda::DefaultStream::kLegacy),
                        &DriverTable::cuGetErrorString_v6000, static_cast<CUresult>(error), &text);
  return asked == cudaSuccess && text != nullptr ? text : cudaGetErrorName(error);
}
