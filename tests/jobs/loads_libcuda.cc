// A graph job that links nothing of CUDA: it opens libcuda.so.1 and looks up each call itself.
// Builds a graph of fills and copies by hand, launches it, and checks what it left. Prints
// "loads_libcuda ok <sum>". Exit 1 if anything is wrong.
#include <cuda.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void* library = nullptr;

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "loads_libcuda: %s\n", what);
  std::exit(1);
}

template <typename Type, typename... Arguments>
void Call(const char* symbol, Type* /*type*/, Arguments... arguments) {
  auto* const call = reinterpret_cast<Type*>(dlsym(library, symbol));
  if (call == nullptr || call(arguments...) != CUDA_SUCCESS) Fail(symbol);
}

// The exported symbol is what the header's macro makes of the name.
#define TEXT_OF(symbol) #symbol
#define EXPORTED(call) TEXT_OF(call)
#define CALL(call, ...) Call(EXPORTED(call), static_cast<decltype(&call)>(nullptr), __VA_ARGS__)

constexpr std::size_t kBytes = 4096;

CUgraph FillThenCopy(CUcontext context, CUdeviceptr from, CUdeviceptr to) {
  CUgraph graph = nullptr;
  CALL(cuGraphCreate, &graph, 0U);
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = from;
  fill.value = 7;
  fill.elementSize = 1;
  fill.width = kBytes;
  fill.height = 1;
  CUgraphNode filled = nullptr, copied = nullptr;
  CALL(cuGraphAddMemsetNode, &filled, graph, nullptr, std::size_t{0}, &fill, context);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.dstDevice = to;
  copy.WidthInBytes = kBytes;
  copy.Height = copy.Depth = 1;
  CALL(cuGraphAddMemcpyNode, &copied, graph, &filled, std::size_t{1}, &copy, context);
  return graph;
}

}  // namespace

int main() {
  library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Fail(dlerror());
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CALL(cuInit, 0U);
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  CALL(cuStreamCreate, &stream, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  std::array<CUdeviceptr, 2> data{};
  for (CUdeviceptr& each : data) CALL(cuMemAlloc, &each, kBytes);
  CUgraph graph = FillThenCopy(context, data[0], data[1]);
  CUgraphExec executable = nullptr;
  CALL(cuGraphInstantiateWithFlags, &executable, graph, 0ULL);
  for (int i = 0; i < 5; ++i) CALL(cuGraphLaunch, executable, stream);
  CALL(cuStreamSynchronize, stream);
  std::vector<unsigned char> seen(kBytes);
  CALL(cuMemcpyDtoH, seen.data(), data[1], kBytes);
  long sum = 0;
  for (const unsigned char each : seen) sum += each;
  if (sum != 7L * kBytes) Fail("the copy has not arrived");
  CALL(cuGraphExecDestroy, executable);
  CALL(cuGraphDestroy, graph);
  std::printf("loads_libcuda ok %ld\n", sum);
  return 0;
}
