// Looks driver calls up in every way that programs use, with libgraphtap.so preloaded, and checks
// whose address it gets. Prints the first look-up that went wrong. Exit 1 if one did.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

bool IsIn(const void* address, std::string_view file) {
  Dl_info info{};
  return address != nullptr && dladdr(address, &info) != 0 &&
         std::string_view(info.dli_fname).find(file) != std::string_view::npos;
}

void Expect(const void* address, std::string_view file, const char* look_up) {
  if (IsIn(address, file)) return;
  std::fprintf(stderr, "lookups: %s: not in %s\n", look_up, std::string(file).c_str());
  std::exit(1);
}

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "lookups: %s\n", what);
  std::exit(1);
}

constexpr std::string_view kHook = "libgraphtap.so";
constexpr std::string_view kDriver = "libcuda.so.1";

void InAHandle(void* library) {
  dlerror();
  Expect(dlsym(library, "cuGraphLaunch"), kHook, "dlsym of a hooked call");
  Expect(dlsym(library, "cuGraphLaunch_ptsz"), kHook, "dlsym of a per-thread variant");
  Require(dlerror() == nullptr, "a look-up that succeeds leaves an error");
  Expect(dlsym(library, "cuStreamSynchronize"), kDriver, "dlsym of a call that is not hooked");
  Require(dlsym(library, "cuNoSuchCall") == nullptr, "dlsym finds what does not exist");
  Require(dlvsym(library, "cuGraphLaunch", "NO_SUCH_VERSION") == nullptr,
          "dlvsym finds a version that does not exist");
  Expect(dlsym(dlopen("libm.so.6", RTLD_NOW), "cos"), "libm.so.6", "dlsym in another library");
}

void InTheProcess() {
  Expect(dlsym(RTLD_DEFAULT, "cuGraphLaunch"), kHook, "RTLD_DEFAULT of a hooked call");
  Expect(dlsym(RTLD_DEFAULT, "dlsym"), kHook, "RTLD_DEFAULT of dlsym");
  // From the program itself, RTLD_NEXT begins behind it: the preloaded library comes first.
  Expect(dlsym(RTLD_NEXT, "cuGraphLaunch"), kHook, "RTLD_NEXT of a hooked call");
  Expect(dlvsym(RTLD_NEXT, "memcpy", "GLIBC_2.14"), "libc.so.6", "dlvsym of a libc function");
}

void ByTheResolver(void* library) {
  const auto v2 =
      reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  const auto v1 = reinterpret_cast<PFN_cuGetProcAddress_v11030>(dlsym(library, "cuGetProcAddress"));
  Expect(reinterpret_cast<void*>(v2), kHook, "dlsym of cuGetProcAddress_v2");
  Expect(reinterpret_cast<void*>(v1), kHook, "dlsym of cuGetProcAddress");
  void* function = nullptr;
  Require(v1("cuGraphLaunch", &function, 10000, 0) == CUDA_SUCCESS, "cuGetProcAddress fails");
  Expect(function, kHook, "cuGetProcAddress of a hooked call");
  // The status may be null: the runtime passes none.
  Require(v2("cuGraphLaunch", &function, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
             nullptr) == CUDA_SUCCESS,
          "cuGetProcAddress_v2 fails");
  Expect(function, kHook, "cuGetProcAddress_v2 of a per-thread variant");
  void* legacy = nullptr;
  v2("cuGraphLaunch", &legacy, 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, nullptr);
  Require(legacy != function, "both kinds of default stream have one hook");
  void* shapes[3] = {};
  v2("cuGraphInstantiate", &shapes[0], 10000, 0, nullptr);
  v2("cuGraphInstantiate", &shapes[1], 11000, 0, nullptr);
  v2("cuGraphInstantiate", &shapes[2], 12000, 0, nullptr);
  for (const void* shape : shapes) Expect(shape, kHook, "a shape of cuGraphInstantiate");
  Require(shapes[1] == shapes[2] && shapes[0] != shapes[2],
          "versions of cuGraphInstantiate do not have the hooks of their shapes");
  CUdriverProcAddressQueryResult status{};
  const CUresult result = v2("cuGraphLaunch", &function, 9000, 0, &status);
  Require(result != CUDA_SUCCESS || function == nullptr, "a version that is too low is answered");
  Require(v2("cuStreamSynchronize", &function, 13000, 0, &status) == CUDA_SUCCESS, "not found");
  Expect(function, kDriver, "cuGetProcAddress_v2 of a call that is not hooked");
}

}  // namespace

int main() {
  // No driver is in the process yet: nothing but the exported names is answered.
  Expect(dlsym(RTLD_DEFAULT, "cuInit"), kHook, "RTLD_DEFAULT of cuInit");
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  Require(library != nullptr, "no libcuda.so.1");
  InAHandle(library);
  InTheProcess();
  ByTheResolver(library);
  std::puts("lookups ok");
}
