// What one launch call costs on the host: launch_cost [batches=2000] prints the medians, in ns, of
// cuGraphLaunch (a graph of one empty kernel), cuLaunchKernel and cuMemsetD32Async over batches of
// 32 launches, which never fill the queue: as the program is linked, and by libcuda's own address.
// The two alternate in one process, since processes differ by more than a hook costs. Driver API
// alone.
#include <cuda.h>
#include <link.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr const char* kPtx = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry nothing()
{
  ret;
}
)";
constexpr int kBatch = 32;

void Check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "launch_cost: %s: error %d\n", call, static_cast<int>(result));
  std::exit(1);
}
#define CHECK(call) Check((call), #call)

struct Search {
  const char* name;
  void* found;
};

// libcuda's own symbol, read from its dynamic table: look-ups may give a hook.
int FindInDriver(dl_phdr_info* info, std::size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  if (std::strstr(info->dlpi_name, "libcuda.so.1") == nullptr) return 0;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  }
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  // The string table follows the symbol table in every libcuda that has been met.
  for (auto* symbol = symbols; reinterpret_cast<const char*>(symbol) < strings; ++symbol) {
    if (symbol->st_value == 0 || std::strcmp(strings + symbol->st_name, search->name) != 0)
      continue;
    search->found = reinterpret_cast<void*>(info->dlpi_addr + symbol->st_value);
    return 1;
  }
  return 0;
}

template <typename Function>
Function* InDriver(const char* name, Function*) {
  Search search{name, nullptr};
  dl_iterate_phdr(FindInDriver, &search);
  if (search.found == nullptr) {
    std::fprintf(stderr, "launch_cost: libcuda.so.1 has no %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function*>(search.found);
}

double MedianOf(std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<long>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// The medians over batches of the time of one call of each kind, in ns.
template <typename First, typename Second>
void Compare(const char* what, long batches, CUstream stream, First first, Second second) {
  const auto batch = [&](auto launch) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < kBatch; ++k) launch();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    CHECK(cuStreamSynchronize(stream));
    return time.count() / kBatch;
  };
  std::vector<double> linked, direct;
  for (long i = -batches / 10; i < batches; ++i) {  // the first tenth warms up
    const double one = batch(first), other = batch(second);
    if (i < 0) continue;
    linked.push_back(one);
    direct.push_back(other);
  }
  std::printf("%s %.1f direct %.1f\n", what, MedianOf(linked), MedianOf(direct));
}

}  // namespace

int main(int argc, char** argv) {
  const long batches = argc > 1 ? std::max(1L, std::atol(argv[1])) : 2000;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUdeviceptr word = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&function, module, "nothing"));
  CHECK(cuMemAlloc(&word, sizeof(unsigned)));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(cuGraphInstantiate(&executable, graph, 0));
  const auto real_graph_launch = InDriver("cuGraphLaunch", &cuGraphLaunch);
  const auto real_launch = InDriver("cuLaunchKernel", &cuLaunchKernel);
  const auto real_fill = InDriver("cuMemsetD32Async", &cuMemsetD32Async);
  Compare(
      "cuGraphLaunch", batches, stream, [&] { CHECK(cuGraphLaunch(executable, stream)); },
      [&] { CHECK(real_graph_launch(executable, stream)); });
  Compare(
      "cuLaunchKernel", batches, stream,
      [&] { CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr)); },
      [&] { CHECK(real_launch(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr)); });
  Compare(
      "cuMemsetD32Async", batches, stream, [&] { CHECK(cuMemsetD32Async(word, 1, 1, stream)); },
      [&] { CHECK(real_fill(word, 1, 1, stream)); });
  CHECK(cuGraphExecDestroy(executable));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFree(word));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
