// Loads the driver, uses it and unloads it, three times; the process links nothing of CUDA. No
// kernels: each time a graph fills memory with a value of its own. Exit 1 if anything is wrong.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t kBytes = 4096;
constexpr unsigned kReplays = 3;

class Library {
 public:
  Library() : handle_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ != nullptr) return;
    std::fprintf(stderr, "reloads: %s\n", dlerror());
    std::exit(1);
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <typename... Parameters, typename... Arguments>
  void Call(CUresult (*)(Parameters...), const char* name, Arguments... arguments) const {
    const auto call = reinterpret_cast<CUresult (*)(Parameters...)>(dlsym(handle_, name));
    const CUresult result = call == nullptr ? CUDA_ERROR_NOT_FOUND : call(arguments...);
    if (result == CUDA_SUCCESS) return;
    std::fprintf(stderr, "reloads: %s: error %d\n", name, static_cast<int>(result));
    std::exit(1);
  }

 private:
  void* handle_;
};

// The name that the header's macro stands for.
#define TEXT(name) #name
#define SYMBOL(name) TEXT(name)
#define CALL(name, ...) \
  library.Call(static_cast<decltype(&name)>(nullptr), SYMBOL(name), __VA_ARGS__)

void Use(unsigned char value) {
  const Library library;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUdeviceptr data = 0;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CALL(cuInit, 0u);
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  CALL(cuMemAlloc, &data, kBytes);
  CALL(cuStreamCreate, &stream, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  CALL(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CALL(cuMemsetD8Async, data, value, kBytes, stream);
  CALL(cuStreamEndCapture, stream, &graph);
  CALL(cuGraphInstantiateWithFlags, &exec, graph, 0ull);
  for (unsigned i = 0; i < kReplays; ++i) CALL(cuGraphLaunch, exec, stream);
  CALL(cuStreamSynchronize, stream);
  std::vector<unsigned char> host(kBytes);
  CALL(cuMemcpyDtoH, static_cast<void*>(host.data()), data, kBytes);
  CALL(cuGraphExecDestroy, exec);
  CALL(cuGraphDestroy, graph);
  CALL(cuMemFree, data);
  for (const unsigned char seen : host) {
    if (seen == value) continue;
    std::fprintf(stderr, "reloads: expected %u, seen %u\n", unsigned{value}, unsigned{seen});
    std::exit(1);
  }
}

}  // namespace

int main() {
  for (const unsigned char value : {1, 2, 3}) Use(value);
  std::printf("used and unloaded three times\n");
  return 0;
}
