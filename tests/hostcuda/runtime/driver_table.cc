#include "tests/hostcuda/runtime/driver_table.h"

#include <dlfcn.h>

namespace hostcuda {
namespace {

struct Tables {
  DriverTable legacy;
  DriverTable per_thread;
};

// The real runtime gives no place for the status, so the driver must do without one.
template <typename Function>
void Ask(const DriverTable& table, const char* name, int version, cuuint64_t flags,
         Function* function) {
  void* address = nullptr;
  if (table.resolver(name, &address, version, flags, nullptr) == CUDA_SUCCESS) {
    *function = reinterpret_cast<Function>(address);
  }
}

void Fill(DriverTable* table, cuuint64_t stream_flags) {
#define HOSTCUDA_CALL(name, version) \
  Ask(*table, #name, version, CU_GET_PROC_ADDRESS_DEFAULT, &table->name##_v##version);
#define HOSTCUDA_STREAM_CALL(name, version, per_thread_version)                                  \
  Ask(*table, #name, stream_flags == CU_GET_PROC_ADDRESS_DEFAULT ? version : per_thread_version, \
      stream_flags, &table->name##_v##version);
#include "tests/hostcuda/runtime/driver_calls.inc"
#undef HOSTCUDA_CALL
#undef HOSTCUDA_STREAM_CALL
}

Tables Load() {
  Tables tables;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return tables;
  auto first = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  if (first == nullptr) return tables;
  // A driver that answers for itself may name another address than its export.
  tables.legacy.resolver = first;
  Ask(tables.legacy, "cuGetProcAddress", 12000, CU_GET_PROC_ADDRESS_DEFAULT,
      &tables.legacy.resolver);
  tables.per_thread.resolver = tables.legacy.resolver;
  Fill(&tables.legacy, CU_GET_PROC_ADDRESS_DEFAULT);
  Fill(&tables.per_thread, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  return tables;
}

}  // namespace

const DriverTable& Driver(DefaultStream default_stream) {
  static const Tables& tables = *new Tables(Load());
  return default_stream == DefaultStream::kLegacy ? tables.legacy : tables.per_thread;
}

}  // namespace hostcuda
