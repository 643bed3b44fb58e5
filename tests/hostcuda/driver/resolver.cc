// cuGetProcAddress: entry points by base name, version and kind of default stream.
#include <string_view>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/exports.h"

namespace hostcuda {
namespace {

constexpr int kDriverVersion = 13000;
constexpr cuuint64_t kKnownFlags =
    CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

struct Answer {
  const void* address = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
};

Answer Resolve(std::string_view base, int version, bool thread_stream) {
  Answer answer;
  for (const EntryPoint& entry : EntryPoints()) {
    if (base != entry.base) continue;
    bool thread_form = thread_stream && entry.thread_address != nullptr;
    if ((thread_form ? entry.thread_version : entry.version) <= version) {
      answer.address = thread_form ? entry.thread_address : entry.address;
      answer.status = CU_GET_PROC_ADDRESS_SUCCESS;
    } else if (answer.address == nullptr) {
      answer.status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    }
  }
  return answer;
}

}  // namespace

namespace calls {

// Nothing found is a success with a null address here, and an error in the first form below.
CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  bool malformed = symbol == nullptr || pfn == nullptr || (flags & ~kKnownFlags) != 0 ||
                   version > kDriverVersion;
  if (malformed) return CUDA_ERROR_INVALID_VALUE;
  bool thread_stream = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  Answer answer = Resolve(symbol, version, thread_stream);
  *pfn = const_cast<void*>(answer.address);
  if (status != nullptr) *status = answer.status;
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char* symbol, void** pfn, int version, cuuint64_t flags) {
  void* found = nullptr;
  CUresult result = calls::cuGetProcAddress_v2(symbol, &found, version, flags, nullptr);
  if (result != CUDA_SUCCESS || pfn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  *pfn = found;
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace hostcuda
